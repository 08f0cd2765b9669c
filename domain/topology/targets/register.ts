import type { TopologyArea } from '../../../output/topology/area.ts'
import { deploymentTargetAlreadyExists } from '../../../output/topology/errors.ts'
import type {
  ParsedDeploymentTargetRegistration,
  ParsedRegisterDeploymentTargetRequest,
} from '../../../output/topology/types.ts'
import { deploymentTargetFields } from '../../../output/topology/validators.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Parts } from '../../ports/area-parts.ts'
import { Conflict, type Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { makeReferences } from '../../resources/find-rows.ts'
import { probeOf, type DriverFacts, type DriverProbes } from '../probes/driver-probe.ts'
import { capacityWarnings, judged } from '../probes/judgement.ts'
import { targetKind } from '../sites/kinds.ts'
import { ensureLocation, type StoredLocation } from '../sites/locations-store.ts'
import { requireLayout } from '../sites/numa-layout.ts'
import { standardMembers, type StandardMembers } from '../../resources/standard-members.ts'
import type { TargetUse } from '../sites/target-use.ts'
import { targetCollection, type StoredTarget } from '../sites/targets-store.ts'

/** The members that a renewal changes, each if it is given (topology.md 4). */
const renewed = ['capacity', 'numa_nodes', 'endpoint', 'agent_version', 'labels'] as const

/**
 * Registers a target. A new name creates the target and, if needed, its location. A known name renews the target, which
 * must have the same location and driver.
 */
export async function register(
  { clock, operations }: Pick<Parts<TopologyArea>, 'clock' | 'operations'>,
  probes: DriverProbes,
  use: TargetUse,
  request: ParsedRegisterDeploymentTargetRequest,
  context: CallContext,
) {
  const { body } = request
  requireLayout(body.numa_nodes ?? [], body.capacity)
  const facts = await probeOf(probes, body.driver)()
  const target = newTarget(body, standardMembers(clock, context), facts)
  const location = newLocation(body, standardMembers(clock, context))
  return operations.mutate(context, request, async tx => {
    const known = await targetKind.idNamed(tx, body.name)
    if (known !== undefined) return renew(tx, known, use, { body, facts, now: context.now })
    checkEtag(body.etag, '')
    await ensureLocation(tx, location)
    await makeReferences(tx, targetKind, target)
    await tx.insert(targetCollection, target)
    return effect(target, facts)
  })
}

interface Renewal {
  readonly body: ParsedDeploymentTargetRegistration
  readonly facts: DriverFacts
  readonly now: number
}

async function renew(tx: Transaction, id: string, use: TargetUse, { body, facts, now }: Renewal) {
  const stored = await tx.lock(targetCollection, id)
  if (stored === undefined) throw new Conflict(`the deployment target ${body.name} was deleted meanwhile`)
  const { value: before, version } = stored
  checkEtag(body.etag, before.etag)
  const mask = renewed.filter(name => body[name] !== undefined).join()
  const { changed, value } = applyUpdate(deploymentTargetFields, before, body, mask)
  requireSame(before, body)
  // `requireSame` comes first: the errors of the checks below would reveal the nodes and the use of another target.
  requireLayout(value.numa_nodes, value.capacity)
  await use.requireRoom(tx, value)
  const time = formatMillis(now)
  const touched = changed.length > 0 ? { etag: nextEtag(before.etag), update_time: time } : {}
  const next: StoredTarget = { ...value, ...judged(value, facts), ...touched, last_register_time: time }
  await tx.update(targetCollection, id, next, version)
  if (next.probe !== before.probe) await use.probed(tx, next.name)
  return { ...effect(next, facts), changed }
}

/** Throws DEPLOYMENT_TARGET_ALREADY_EXISTS if the known target has another location or driver. */
function requireSame({ driver, location, name }: StoredTarget, body: ParsedDeploymentTargetRegistration): void {
  if (location === body.location && driver === body.driver) return
  const what = location === body.location ? `the driver ${driver}` : `the location ${location}`
  throw deploymentTargetAlreadyExists(`a deployment target named ${name} exists with ${what}`, {
    resource: { type: targetKind.type, name },
  })
}

const effect = (target: StoredTarget, facts: DriverFacts): Effect<TopologyArea> => ({
  type: 'REGISTER',
  resourceType: targetKind.type,
  resourceId: target.id,
  scope: { type: 'PLATFORM', id: '' },
  warnings: capacityWarnings(target, facts),
})

/** Returns the row of a new target. */
function newTarget(
  body: ParsedDeploymentTargetRegistration,
  standard: StandardMembers,
  facts: DriverFacts,
): StoredTarget {
  const { agent_version = '', capacity, description = '', display_name = '', driver, endpoint = '' } = body
  const { labels = {}, location, name, numa_nodes = [] } = body
  const settable = { name, display_name, description, labels, location, driver, endpoint, capacity, numa_nodes }
  const registered = { agent_version, last_register_time: standard.create_time }
  return { ...standard, ...settable, ...registered, ...judged({ endpoint }, facts) }
}

/** Returns the location of a first registration, with the hints of the registration. */
function newLocation(body: ParsedDeploymentTargetRegistration, standard: StandardMembers): StoredLocation {
  const { city = '', country_code = '', latitude, longitude, proposed_region = '' } = body.location_hints ?? {}
  return {
    ...standard,
    name: body.location,
    display_name: '',
    description: '',
    labels: {},
    country_code,
    city,
    ...(latitude !== undefined && { latitude }),
    ...(longitude !== undefined && { longitude }),
    proposed_region,
    region: '',
    state: 'TOPOLOGY_LOCATION_STATE_PENDING',
    state_reason: '',
    approved_by: '',
  }
}
