import type { ComputeArea } from '../../../output/compute/area.ts'
import type { ComputeOperation, UpdateVmRequest, VmNetworkInterface } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { requireState } from '../../resources/states.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { requireFits } from '../images/catalogue.ts'
import { areDisksChanged } from '../work/update-procedure.ts'
import { orderOf } from '../work/vm-work.ts'
import { changeHolding } from '../vms/capacity.ts'
import { createInterface, freeNames, releaseInterfaces, requireSubnets } from '../vms/ports.ts'
import { changeOf, type VmChange } from './vm-change.ts'
import { removedGib, requireNoShrink, requireStoppedFor } from './vm-change-rules.ts'
import { requireCpuForm, requireNumaSums } from '../vms/vm-form.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'

/**
 * Changes the row of a machine in the transaction of the call, and orders the work of the driver if disks change
 * (compute.md 4).
 */
export async function updateVm(
  environment: ComputeEnvironment,
  request: UpdateVmRequest,
  context: CallContext,
): Promise<Answer<ComputeOperation>> {
  const { access, images, operations, taxonomy } = environment
  const { body, update_mask, workspace } = request
  // Only the locked row shows whether an interface is new, so a refusal is kept until then.
  const unused = body.network_interfaces?.length
    ? await refusalOf(access.require(context, 'network.subnets.use', workspaceScope(workspace)))
    : undefined
  return operations.mutate(context, request, async (tx, operationId) => {
    const stored = await lockVm(environment, tx, request)
    const { value: before } = stored
    const change = changeOf(before, body, update_mask, images)
    if (unused && newOf(change).length > 0) throw unused
    checkEtag(body.etag, before.etag)
    await taxonomy.requireActive(tx, workspace)
    requireState(vmKind, before, 'update')
    if (change.changed.length === 0) return effectOf(before, [])
    requireStoppedFor(before, change)
    await requireReferred(environment, tx, before, change)
    return write(environment, tx, stored, change, { operationId, now: context.now })
  })
}

/**
 * Takes quotas, capacity and ports (steps 13 to 15 of conventions §4), and writes the row. Orders work if disks change.
 */
async function write(
  environment: ComputeEnvironment,
  tx: Transaction,
  { id, value: before, version }: Stored<StoredVm>,
  change: VmChange,
  { now, operationId }: { readonly now: number; readonly operationId: string },
): Promise<Effect<ComputeArea>> {
  const { functions, taxonomy } = environment
  const isOfDisks = areDisksChanged(before, change.vm)
  const next: StoredVm = {
    ...change.vm,
    ...(isOfDisks && { operation_id: operationId, removed_gib: `${removedGib(before, change.vm)}` }),
    etag: nextEtag(before.etag),
    update_time: formatMillis(now),
  }
  await takeDifference(tx, taxonomy, before.workspace_id, vmKind.takes?.(before) ?? [], vmKind.takes?.(next) ?? [])
  const held = isOfDisks ? await changeHolding(functions.topology, tx, next, next.holds) : hostNodes(before, change)
  const network_interfaces = await changeInterfaces(environment, tx, next, change)
  await tx.update(vmCollection, id, { ...next, ...held, network_interfaces }, version)
  if (change.changed.includes('labels')) await functions.network.setPortLabels(tx, id, next.labels)
  const { boot_disk, data_disks } = before
  const procedure = orderOf('update', { vm: id, before: { boot_disk, data_disks } })
  return { ...effectOf(next, change.changed), ...(isOfDisks && { procedure }) }
}

/** Shares the organisation, and locks the machine of a path. Throws WORKSPACE_NOT_FOUND and VM_NOT_FOUND. */
export async function lockVm(
  { taxonomy }: Pick<ComputeEnvironment, 'taxonomy'>,
  tx: Transaction,
  path: { readonly workspace: string; readonly id: string },
): Promise<Stored<StoredVm>> {
  await taxonomy.share(tx, workspaceScope(path.workspace))
  return requireFound(tx, taxonomy, vmKind, path, await tx.lock(vmCollection, path.id))
}

/** Returns the NUMA topology with its present host nodes if an update keeps the guest nodes; otherwise no member. */
const hostNodes = ({ numa }: StoredVm, { changed }: VmChange): Pick<StoredVm, 'numa'> =>
  numa === undefined || changed.some(path => path.split('.', 1)[0] === 'numa') ? {} : { numa }

/**
 * Returns the interfaces of a change that have no port, with their indexes in the body; empty if the update does not
 * change the interfaces.
 */
const newOf = ({ changed, interfaces }: VmChange) =>
  changed.includes('network_interfaces')
    ? interfaces.flatMap(({ ip_address, logical_port_id, subnet_id }, at) =>
        logical_port_id === undefined ? [{ at, subnet_id, ...(ip_address !== undefined && { ip_address }) }] : [],
      )
    : []

/** Returns the stored interfaces that the result of a change does not have. */
const goneOf = ({ interfaces, vm }: VmChange): readonly VmNetworkInterface[] =>
  vm.network_interfaces.filter(({ subnet_id }) => !interfaces.some(each => each.subnet_id === subnet_id))

/**
 * Checks the rules that need the stored row, the image and the subnets (step 12 of conventions §4). Throws the error of
 * the first broken rule.
 */
async function requireReferred(
  { functions, images }: ComputeEnvironment,
  tx: Transaction,
  before: StoredVm,
  change: VmChange,
): Promise<void> {
  const { changed, vm } = change
  const touches = (...names: readonly string[]): boolean =>
    changed.some(path => names.includes(path.split('.', 1)[0] ?? ''))
  if (touches('cpu')) requireCpuForm(vm.cpu)
  if (touches('cpu', 'memory_mib', 'numa')) requireNumaSums(vm)
  requireNoShrink(before, vm)
  const image = images.get(vm.boot_disk.image)
  const size = { bootGib: vm.boot_disk.size_gib ?? 0, memoryMib: vm.memory_mib }
  if (image && touches('boot_disk', 'memory_mib')) requireFits(image, size)
  if (!touches('network_interfaces')) return
  const gone = goneOf(change).map(({ subnet_id }) => subnet_id)
  await requireSubnets(functions.network, tx, vm, newOf(change), gone)
}

/**
 * Deletes the ports of removed interfaces, and creates ports for new interfaces. Returns the interfaces in the order of
 * the body.
 */
async function changeInterfaces(
  { functions: { network } }: ComputeEnvironment,
  tx: Transaction,
  vm: StoredVm,
  change: VmChange,
): Promise<VmNetworkInterface[]> {
  if (!change.changed.includes('network_interfaces')) return vm.network_interfaces
  await releaseInterfaces(network, tx, goneOf(change))
  const kept = vm.network_interfaces.filter(each => !goneOf(change).includes(each))
  const names = freeNames(kept)
  const after = new Map(kept.map(each => [each.subnet_id, each]))
  for (const { at, ...wanted } of newOf(change))
    after.set(wanted.subnet_id, await createInterface(network, tx, vm, wanted, { at, name: names.next().value }))
  return change.interfaces.flatMap(({ subnet_id }) => after.get(subnet_id) ?? [])
}

const effectOf = ({ id, workspace_id }: StoredVm, changed: readonly string[]): Effect<ComputeArea> => ({
  type: 'UPDATE',
  resourceType: vmKind.type,
  resourceId: id,
  scope: workspaceScope(workspace_id),
  changed,
})
