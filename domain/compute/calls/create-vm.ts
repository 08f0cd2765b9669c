import type { ComputeArea } from '../../../output/compute/area.ts'
import { zoneNotFound } from '../../../output/compute/errors.ts'
import type { ComputeOperation, ParsedCreateVmRequest, VmNetworkInterface } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { absentAt } from '../../../runtime/errors.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { addReference } from '../../resources/references.ts'
import type { Left } from '../../resources/mutation-rules.ts'
import type { Resources } from '../../resources/resources.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { orderOf } from '../work/vm-work.ts'
import { bootSource, recordSource, requireSource, requireUse } from './boot-source.ts'
import { consumerOf, needOf, requireAllocated, unavailableZone, withNodes } from '../vms/capacity.ts'
import { newVm } from './new-vm.ts'
import { createInterface, freeNames, requireSubnets } from '../vms/ports.ts'
import { requireNumaSums } from '../vms/vm-form.ts'
import { vmKind } from '../vms/vm-kind.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/**
 * Creates the row of a machine, and takes quotas, capacity and ports, in one transaction (compute.md 4). Orders the
 * work of the driver.
 */
export async function createVm(
  environment: ComputeEnvironment,
  resources: Resources<StoredVm, ComputeArea>,
  request: ParsedCreateVmRequest,
  context: CallContext,
): Promise<Answer<ComputeOperation>> {
  const { access } = environment
  const { body, workspace } = request
  const { boot_disk, network_interfaces: interfaces, start_on_create } = body
  await requireUse(access, context, workspace, { boot_disk, hasInterfaces: interfaces.length > 0 })
  requireNumaSums(body)
  const standard = resources.standard({ workspace, engine: 'native' }, context)
  const source = await bootSource(environment, context, workspace, boot_disk)
  const vm = newVm(standard, body, source)
  let region = ''
  return resources.create(request, context, vm, {
    async refer(tx) {
      region = await requireZone(environment, tx, vm)
      await requireSource(environment, tx, source, vm)
      const named = interfaces.map(({ subnet_id }, at) => ({ subnet_id, at }))
      await requireSubnets(environment.functions.network, tx, { ...vm, region }, named)
    },
    async complete(tx, operation_id) {
      await recordSource(tx, vm.id, source)
      return place(environment, tx, { ...vm, region, operation_id }, { interfaces, isStarted: start_on_create })
    },
  })
}

/** Records the reference to the zone, and returns its region. Throws ZONE_NOT_FOUND and ZONE_NOT_AVAILABLE. */
async function requireZone(
  { functions }: ComputeEnvironment,
  tx: Transaction,
  { id, zone }: StoredVm,
): Promise<string> {
  const known = await functions.topology.requireZone(tx, zone)
  const resource = { type: 'topology.zones', name: zone }
  if (!known) throw absentAt(zoneNotFound, 'zone', `no zone is called ${zone}`, resource)
  if (!known.isAvailable) throw unavailableZone(zone, `zone ${zone} or its location takes no new virtual machines`)
  await addReference(tx, { type: 'topology.zones', id: known.id }, { type: vmKind.type, id })
  return known.region
}

/** Gives a machine capacity and ports, and returns its row and the order of its creation by the driver. */
async function place(
  { functions: { network, topology } }: ComputeEnvironment,
  tx: Transaction,
  vm: StoredVm,
  asked: {
    readonly interfaces: ParsedCreateVmRequest['body']['network_interfaces']
    readonly isStarted: boolean
  },
): Promise<Left<ComputeArea> & { readonly row: StoredVm }> {
  const given = requireAllocated(await topology.allocate(tx, vm.zone, needOf(vm, 'POWERED'), consumerOf(vm)), vm)
  const driver: StoredVm['driver'] = (await topology.driverOf(tx, given.resource_pool)) ?? ''
  const network_interfaces: VmNetworkInterface[] = []
  const names = freeNames([])
  for (const [at, wanted] of asked.interfaces.entries())
    network_interfaces.push(await createInterface(network, tx, vm, wanted, { at, name: names.next().value }))
  const { resource_pool } = given
  const row = { ...vm, ...withNodes(vm, given.nodes), resource_pool, driver, network_interfaces }
  return { row, procedure: orderOf('create', { vm: vm.id, isStarted: asked.isStarted }) }
}
