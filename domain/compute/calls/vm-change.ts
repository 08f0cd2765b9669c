import type { VmNetworkInterfaceInput, VmUpdate } from '../../../output/compute/types.ts'
import {
  completeVmNetworkInterfaceInput,
  completeVmNumaNodeInput,
  vmFields,
} from '../../../output/compute/validators.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { applyUpdate } from '../../../runtime/field-mask.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { canonical, isRecord } from '../../../runtime/validation.ts'
import type { ImageCatalogue } from '../images/catalogue.ts'
import { withNodes } from '../vms/capacity.ts'
import { coresPerSocket } from '../vms/vm-form.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/** The result of an update before its rules are checked; requested interfaces have no ports yet. */
export interface VmChange {
  readonly vm: StoredVm
  readonly interfaces: readonly (VmNetworkInterfaceInput & { readonly logical_port_id?: string })[]
  /** The paths of the changed fields. */
  readonly changed: readonly string[]
}

/**
 * Applies the mask of an update to a machine (conventions §6). Defaults that derive from other members are computed
 * anew, and interfaces are matched by their subnets. Throws FIELD_INVALID, FIELD_IMMUTABLE and UPDATE_MASK_INVALID.
 */
export function changeOf(before: StoredVm, body: VmUpdate, mask: string | undefined, images: ImageCatalogue): VmChange {
  const shown = withoutHostNodes(before)
  const { changed, value } = applyUpdate(vmFields, withoutDerived(shown), normalForm(body, before), mask)
  const interfaces: VmChange['interfaces'] = value.network_interfaces
  if (changed.includes('network_interfaces')) requireSameAddresses(before, interfaces)
  const cpu = { ...value.cpu, cores_per_socket: coresPerSocket(value.cpu) }
  const isSameCpu = canonical(cpu) === canonical(before.cpu)
  const isGiven = value.cpu.cores_per_socket !== undefined
  const least = images.get(value.boot_disk.image)?.min_disk_gib ?? before.boot_disk.size_gib ?? 1
  const vm: StoredVm = {
    ...value,
    cpu,
    cores: isSameCpu ? before.cores : isGiven ? 'GIVEN' : 'DERIVED',
    boot_disk: { ...value.boot_disk, size_gib: value.boot_disk.size_gib ?? least },
    network_interfaces: before.network_interfaces,
  }
  const compared = { ...vm, network_interfaces: interfaces }
  return { vm, interfaces, changed: changed.filter(path => differsAt(path, shown, compared)) }
}

/** Returns a machine without host nodes, which no caller sets, so that host nodes make no difference to a body. */
const withoutHostNodes = (vm: StoredVm): StoredVm => ({ ...vm, ...withNodes(vm, []) })

/** Returns a machine without a derived `cores_per_socket`, so that an update derives the number of cores anew. */
function withoutDerived(vm: StoredVm): StoredVm {
  if (vm.cores === 'GIVEN') return vm
  const { cores_per_socket: _derived, ...cpu } = vm.cpu
  return { ...vm, cpu }
}

/** Returns a body with its lists in the form of stored lists, so that an equal list is no change. */
const normalForm = (body: VmUpdate, { network_interfaces: stored }: StoredVm): VmUpdate => ({
  ...body,
  ...(body.numa?.nodes && {
    numa: { ...body.numa, nodes: body.numa.nodes.map(node => completeVmNumaNodeInput(node)) },
  }),
  ...(body.network_interfaces && {
    network_interfaces: body.network_interfaces.map(given => {
      const wanted = completeVmNetworkInterfaceInput(given)
      const same = stored.find(({ subnet_id }) => subnet_id === wanted.subnet_id)
      const isKept = wanted.ip_address === undefined || wanted.ip_address === same?.ip_address
      return same && isKept ? same : wanted
    }),
  }),
})

function requireSameAddresses({ network_interfaces }: StoredVm, wanted: VmChange['interfaces']): void {
  const known = new Set(network_interfaces.map(({ subnet_id }) => subnet_id))
  const faults = wanted.flatMap(({ logical_port_id, subnet_id }, i): FieldViolation[] =>
    logical_port_id === undefined && known.has(subnet_id)
      ? [{ field: `network_interfaces[${i}].ip_address`, description: 'cannot be changed; leave it out' }]
      : [],
  )
  if (faults.length > 0) throw fieldInvalid(faults, 'FIELD_IMMUTABLE')
}

function differsAt(path: string, before: object, after: object): boolean {
  const [one, other] = [valueAt(path, before), valueAt(path, after)]
  return one === undefined || other === undefined ? one !== other : canonical(one) !== canonical(other)
}

const valueAt = (path: string, value: object): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)
