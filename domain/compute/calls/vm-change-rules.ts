import { diskShrinkUnsupported, vmMustBeStopped } from '../../../output/compute/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { VmChange } from './vm-change.ts'
import { isIn } from '../vms/transitions.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/** The members that change only while a machine is STOPPED, by the first name of their paths (compute.md 4). */
const whileStopped: readonly string[] = ['cpu', 'memory_mib', 'numa', 'network_interfaces']

/** Throws VM_MUST_BE_STOPPED with each changed field that the status does not allow (step 11). */
export function requireStoppedFor(before: StoredVm, { changed, vm }: VmChange): void {
  if (isIn(before, 'STOPPED')) return
  const isRunning = isIn(before, 'RUNNING')
  const fields = changed.filter(path => {
    const [name = ''] = path.split('.', 1)
    if (name === 'boot_disk') return !isRunning
    if (name === 'data_disks') return !isRunning || !haveSameNames(before, vm)
    return whileStopped.includes(name)
  })
  if (fields.length === 0) return
  const message = `virtual machine ${before.id} is ${before.status}; stop it to change ${fields.join(', ')}`
  throw vmMustBeStopped(message, {
    resource: { type: 'compute.vms', name: before.id },
    precondition: fields.map(field => ({
      type: 'STATE',
      subject: field,
      description: 'the virtual machine must be NATIVE_VM_STATUS_STOPPED',
    })),
  })
}

const haveSameNames = (before: StoredVm, after: StoredVm): boolean =>
  namesOf(before).toSorted().join() === namesOf(after).toSorted().join()

const namesOf = ({ data_disks }: StoredVm): readonly string[] => data_disks.map(({ name }) => name)

/** Throws DISK_SHRINK_UNSUPPORTED at the first disk that would become smaller (step 12). */
export function requireNoShrink(before: StoredVm, after: StoredVm): void {
  const [old, wanted] = [before.boot_disk.size_gib ?? 0, after.boot_disk.size_gib ?? 0]
  if (wanted < old) throw shrinking('the boot disk', old, wanted, 'boot_disk.size_gib')
  for (const [i, { name, size_gib }] of after.data_disks.entries()) {
    const disk = before.data_disks.find(each => each.name === name)
    if (disk && size_gib < disk.size_gib)
      throw shrinking(`data disk ${name}`, disk.size_gib, size_gib, `data_disks[${i}].size_gib`)
  }
}

const shrinking = (disk: string, old: number, wanted: number, field: string) =>
  faultAt(diskShrinkUnsupported, field, `${disk} has ${old} GiB and cannot shrink to ${wanted}`)

/** Returns the size of the data disks that a change deletes, in GiB. */
export const removedGib = (before: StoredVm, after: StoredVm): number =>
  before.data_disks
    .filter(({ name }) => !namesOf(after).includes(name))
    .reduce((sum, { size_gib }) => sum + size_gib, 0)
