import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { isExhausted } from './capsule-state.ts'
import { agenda } from '../work/agenda.ts'
import { inspectDue } from '../work/inspect-due.ts'
import { capsuleCollection, capsulePayloads, capsuleState } from './capsules-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that exactly the active capsules have a payload, and that each capsule has its due work. */
export async function* inspectCapsules(reader: Reader): Findings {
  for await (const { id, value } of reader.each(capsuleCollection)) {
    const finding = (message: string): Finding => ({ resourceType: 'vault.capsules', id, message })
    const isActive = value.state === capsuleState('ACTIVE')
    if ((await reader.exists(capsulePayloads, { id })) !== isActive)
      yield finding(`is ${value.state} ${isActive ? 'without' : 'with'} a payload`)
    // The lock of a capsule without an attempt left is due before its expiry.
    const due = isExhausted(value) ? value.create_time : value.expire_time
    yield* inspectDue(reader, 'capsules.expire', id, isActive ? due : undefined, finding)
    if ((await reader.exists(agenda, { id: `capsules.remove/${id}` })) === isActive)
      yield finding(`is ${value.state} ${isActive ? 'with' : 'without'} due work that removes it`)
    if ((value.redeem_time !== undefined) !== (value.state === capsuleState('REDEEMED')))
      yield finding(`is ${value.state} with another redeem_time`)
    if ((value.revoke_time !== undefined) !== (value.state === capsuleState('REVOKED')))
      yield finding(`is ${value.state} with another revoke_time`)
    if ((value.salt !== '') !== value.passphrase_required)
      yield finding('has another passphrase_required than its salt')
    if (value.failed_attempts > value.max_attempts) yield finding('has more failed attempts than it may have')
  }
  for await (const { id } of reader.each(capsulePayloads))
    if (!(await reader.exists(capsuleCollection, { id })))
      yield { resourceType: 'vault.capsulePayloads', id, message: 'belongs to no capsule; restore it from a backup' }
}
