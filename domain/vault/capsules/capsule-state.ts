import type { Capsule } from '../../../output/vault/types.ts'
import type { ClockStates } from '../../resources/state-by-clock.ts'
import { capsuleState, type StoredCapsule } from './capsules-store.ts'

/** Returns the state of a capsule at a time: an active capsule expires by the clock, before a worker records it. */
export const stateAt = ({ expire_time, state }: StoredCapsule, now: number): Capsule['state'] =>
  state === capsuleState('ACTIVE') && Date.parse(expire_time) <= now ? capsuleState('EXPIRED') : state

/** Whether no attempt with a passphrase is left. */
export const isExhausted = ({ failed_attempts, max_attempts }: StoredCapsule): boolean =>
  failed_attempts >= max_attempts

/** The states of capsules by which lists filter. */
export const capsuleStates: ClockStates = {
  active: capsuleState('ACTIVE'),
  expired: capsuleState('EXPIRED'),
  time: 'expire_time',
}
