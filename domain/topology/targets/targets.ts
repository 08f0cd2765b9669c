import type { TopologyArea } from '../../../output/topology/area.ts'
import type { DeploymentTargetHandlers } from '../../../output/topology/handlers.ts'
import type { DeploymentTarget, UpdateDeploymentTargetRequest } from '../../../output/topology/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Derived, Reader } from '../../ports/store.ts'
import { idOf } from '../../resources/find-rows.ts'
import { withMembers } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import { probeOf, type DriverFacts, type DriverProbes } from '../probes/driver-probe.ts'
import { capacityWarnings, judged } from '../probes/judgement.ts'
import { foundSite } from '../sites/found-site.ts'
import { targetKind } from '../sites/kinds.ts'
import { locationStates, type LocationStates } from '../sites/location-states.ts'
import { namesField } from '../sites/named-fields.ts'
import { requireLayout } from '../sites/numa-layout.ts'
import { targetState } from '../sites/states.ts'
import type { TargetUse } from '../sites/target-use.ts'
import { targetCollection, type StoredTarget } from '../sites/targets-store.ts'
import { register } from './register.ts'

/** Returns the handlers of deployment targets. */
export function targets(parts: Parts<TopologyArea>, probes: DriverProbes, use: TargetUse): DeploymentTargetHandlers {
  const { store } = parts
  const resources = new Resources<StoredTarget, TopologyArea>(targetKind, parts)
  const factsOf = async (idOrName: string): Promise<DriverFacts | undefined> => {
    const id = await idOf(store, targetKind, idOrName)
    const target = id === undefined ? undefined : await store.get(targetCollection, id)
    return target && probeOf(probes, target.value.driver)()
  }
  return {
    listDeploymentTargets: (_request, context) => store.snapshot(reader => listTargets(reader, context)),
    getDeploymentTarget: request =>
      store.snapshot(async reader => {
        const { text, value } = await foundSite(reader, targetKind, parts, request)
        return answered(text, value, await locationStates(reader, [value.location]))
      }),
    async updateDeploymentTarget(request, context) {
      const { capacity = {}, numa_nodes = [] } = request.body
      requireLayout(numa_nodes, capacity)
      return update(resources, use, await factsOf(request.id), request, context)
    },
    deleteDeploymentTarget: (request, context) => resources.delete(request, context),
    registerDeploymentTarget: (request, context) => register(parts, probes, use, request, context),
  }
}

const touches = (changed: readonly string[], ...names: readonly string[]): boolean =>
  changed.some(path => names.includes(path.split('.', 1)[0] ?? ''))

/** Updates a target. `facts` is undefined if the target was absent before the call. */
const update = (
  resources: Resources<StoredTarget, TopologyArea>,
  use: TargetUse,
  facts: DriverFacts | undefined,
  request: UpdateDeploymentTargetRequest,
  context: CallContext,
) =>
  resources.update(request, context, {
    async refer(tx, { changed, value }, before) {
      requireLayout(value.numa_nodes, value.capacity)
      if (touches(changed, 'capacity', 'numa_nodes')) await use.requireRoom(tx, value)
      if (facts === undefined) return {}
      const members = touches(changed, 'endpoint') ? judged(value, facts) : {}
      if ({ ...before, ...members }.probe !== before.probe) await use.probed(tx, value.name)
      return { members, warnings: touches(changed, 'capacity') ? capacityWarnings(value, facts) : [] }
    },
  })

async function listTargets(reader: Reader, { query }: ListContext): Promise<Page<DeploymentTarget>> {
  const all = namesField(query, 'state') ? await locationStates(reader) : undefined
  const derived = all && derivedStates(all)
  const page = await reader.page(targetCollection, query, {}, { derived, members: ['location', 'probe'] })
  const states =
    all ??
    (await locationStates(
      reader,
      page.items.map(({ members: [location] }) => location),
    ))
  const items = page.items.map(({ members: [location, probe], text }) => answered(text, { location, probe }, states))
  return { ...page, items }
}

/** Returns the text of a target with its state appended. */
const answered = (
  text: JsonText<StoredTarget>,
  target: Pick<StoredTarget, 'location' | 'probe'>,
  states: LocationStates,
): JsonText<DeploymentTarget> => withMembers(text, { state: targetState(target, states.get(target.location)) })

/** Returns the table from which lists derive the states of targets, by location and probe. */
const derivedStates = (states: LocationStates): Derived => ({
  from: ['location', 'probe'],
  fields: [{ name: 'state', type: 'ENUM' }],
  rows: [...states].flatMap(([location, state]) =>
    (['PASSED', 'FAILED'] as const).map(probe => ({
      from: [location, probe],
      values: [targetState({ probe }, state)],
    })),
  ),
})
