import { capacityOverDeclared } from '../../../output/topology/errors.ts'
import type { ResourceCapacity } from '../../../output/topology/types.ts'
import type { Warning } from '../../ports/warning.ts'
import type { ProbeResult } from '../sites/targets-store.ts'
import type { DriverFacts } from './driver-probe.ts'

/** The members of a target that a probe reads. */
interface Probed {
  readonly name: string
  readonly endpoint: string
  readonly capacity: ResourceCapacity
}

/** The members of a target that a probe sets. */
export interface ProbeMembers {
  readonly probe: ProbeResult
  readonly state_message: string
}

/** The maximal length of a stored message in UTF-16 code units. */
const maxMessage = 256

/** Returns the result of a probe for a target. A target with an endpoint fails, because there are no agents yet. */
export function judged({ endpoint }: Pick<Probed, 'endpoint'>, { isRunning, message }: DriverFacts): ProbeMembers {
  if (endpoint !== '') return { probe: 'FAILED', state_message: 'there are no agents in this version; clear endpoint' }
  return { probe: isRunning ? 'PASSED' : 'FAILED', state_message: message.slice(0, maxMessage) }
}

/**
 * Returns the warning CAPACITY_OVER_DECLARED for vcpus and for memory, if the declared capacity of a target exceeds its
 * host; no warnings for a driver that does not use the host.
 */
export function capacityWarnings(
  { capacity, name }: Pick<Probed, 'name' | 'capacity'>,
  { host }: DriverFacts,
): readonly Warning[] {
  if (host === undefined) return []
  const { code } = capacityOverDeclared
  const over = [
    ...(capacity.vcpus > host.vcpus ? [`${capacity.vcpus} processors, more than the ${host.vcpus}`] : []),
    ...(capacity.memory_mib > host.memoryMib
      ? [`${capacity.memory_mib} MiB of memory, more than the ${host.memoryMib} MiB`]
      : []),
  ]
  return over.map(what => ({ code, description: `${name} declares ${what} that the host has` }))
}
