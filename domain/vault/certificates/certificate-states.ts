import type { CertificateAuthorityState, CertificateState } from '../../../output/vault/types.ts'
import type { ClockStates } from '../../resources/state-by-clock.ts'
import { authorityState, type StoredAuthority } from './authorities-store.ts'
import { certificateState, type StoredCertificate } from './certificates-store.ts'

/** Returns the state of an authority at a time in milliseconds since 1970: an ENABLED authority expires by the clock. */
export function authorityStateAt(
  { not_after_time, state }: Pick<StoredAuthority, 'state' | 'not_after_time'>,
  now: number,
): CertificateAuthorityState {
  const isOver = not_after_time !== undefined && Date.parse(not_after_time) <= now
  return isOver && state === authorityState('ENABLED') ? authorityState('EXPIRED') : state
}

/** Returns the state of a certificate at a time in milliseconds since 1970: an ACTIVE certificate expires by the clock. */
export const certificateStateAt = (
  { not_after_time, state }: Pick<StoredCertificate, 'state' | 'not_after_time'>,
  now: number,
): CertificateState =>
  state === certificateState('ACTIVE') && Date.parse(not_after_time) <= now ? certificateState('EXPIRED') : state

/** The states of authorities by which lists filter. */
export const authorityStates: ClockStates = {
  active: authorityState('ENABLED'),
  expired: authorityState('EXPIRED'),
  time: 'not_after_time',
}

/** The states of certificates by which lists filter. */
export const certificateStates: ClockStates = {
  active: certificateState('ACTIVE'),
  expired: certificateState('EXPIRED'),
  time: 'not_after_time',
}
