import type { Finding, Inspect } from '../../../../domain/ports/inspection.ts'
import { memberSettings } from '../member.ts'
import { memberClient } from '../stack-clients.ts'
import type { StackSetting } from '../stack-setting.ts'
import { StackCounts } from '../stack-counts.ts'
import { memberFault } from './probe.ts'

/** Returns the check of all members of some stacks, which asks each of them whether it serves its API. */
export const inspectMembers = (stacks: readonly StackSetting[]): Inspect =>
  async function* () {
    const findings = await Promise.all(stacks.map(findingsOf))
    yield* findings.flat()
  }

async function findingsOf(stack: StackSetting): Promise<readonly Finding[]> {
  const clients = memberSettings.flatMap(setting => memberClient(stack, setting, new StackCounts()) ?? [])
  const faults = await Promise.all(clients.map(memberFault))
  return faults.flatMap(message =>
    message === undefined ? [] : [{ resourceType: 'observability.engines', id: stack.name, message }],
  )
}
