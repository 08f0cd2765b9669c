import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../../domain/compute/drivers/driver.ts'
import { phase } from '../../domain/compute/drivers/simulated/machine.ts'
import { machines } from '../../domain/compute/drivers/simulated/machines-store.ts'
import { isIn } from '../../domain/compute/vms/transitions.ts'
import { vmCollection, type StoredVm } from '../../domain/compute/vms/vms-store.ts'
import { disksOf } from '../../domain/compute/work/driver-step.ts'
import type { Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import type { AreaHost } from '../area-host.ts'
import {
  DiskFolder,
  diskEntries,
  diskFolderOf,
  fileBytesOf,
  fileNameOf,
  machinesIn,
  type DiskEntry,
} from './disk-folder.ts'

const type = 'compute.vms'

/** Returns the check of the disk files in a data folder, and their repair. */
export function diskFiles(dataDir: string): AreaHost {
  const before = new Map(machinesIn(dataDir).map(vm => [vm, diskEntries(dataDir, vm)]))
  return {
    checks: [({ reader }) => inspectDisks(reader, dataDir, before)],
    remake: (reader, log) => remakeDisks(reader, new DiskFolder(dataDir, log), dataDir),
  }
}

/**
 * Compares the files with the rows. The rows come from a snapshot, and servers may change the files before and after
 * the snapshot. So a finding must hold for `before`, the files before the snapshot, and for the present files.
 */
async function* inspectDisks(
  reader: Reader,
  dataDir: string,
  before: ReadonlyMap<string, readonly DiskEntry[]>,
): AsyncGenerator<Finding, void, undefined> {
  const seen = new Set<string>()
  for await (const { id, value } of reader.each(vmCollection)) {
    seen.add(id)
    const disks = await restingDisks(reader, value)
    if (!disks) continue
    const folder = join(diskFolderOf(dataDir), id)
    const earlier = new Set(faultsOf(folder, disks, before.get(id) ?? []))
    if (earlier.size === 0) continue
    for (const message of faultsOf(folder, disks, diskEntries(dataDir, id)))
      if (earlier.has(message)) yield { resourceType: type, id, message }
  }
  for (const vm of before.keys()) {
    if (seen.has(vm) || (await reader.get(machines, vm))) continue
    const folder = join(diskFolderOf(dataDir), vm)
    const message = `does not exist, and has the disk files in ${folder}; the next start of a server deletes them`
    if (existsSync(folder)) yield { resourceType: type, id: vm, message }
  }
}

/**
 * Returns the disks of a machine whose files must be there and must have the sizes of the disks. Returns undefined for
 * a machine that an operation changes, whose last change has failed, or that is not simulated.
 */
async function restingDisks(reader: Reader, vm: StoredVm): Promise<readonly Disk[] | undefined> {
  if (vm.operation_id !== '' || vm.driver !== 'SIMULATED' || isIn(vm, 'ERROR')) return undefined
  const machine = (await reader.get(machines, vm.id))?.value
  const power = machine && phase(Infinity, machine).power
  return power === undefined || power === 'ABSENT' || power === 'GONE' ? undefined : disksOf(vm)
}

/** The differences between the disks of a machine and the entries in its folder. */
function faultsOf(folder: string, disks: readonly Disk[], entries: readonly DiskEntry[]): readonly string[] {
  const wanted = new Map(disks.map(disk => [fileNameOf(disk.name), disk]))
  const present = new Set(entries.map(({ name }) => name))
  return [
    ...[...wanted.keys()].filter(name => !present.has(name)).map(name => `lacks the disk file ${join(folder, name)}`),
    ...entries.flatMap(entry => entryFaults(join(folder, entry.name), wanted.get(entry.name), entry)),
  ]
}

function entryFaults(file: string, disk: Disk | undefined, { bytes, isPrivate }: DiskEntry): readonly string[] {
  if (!disk) return [`has ${file}, which stands for none of its disks`]
  if (bytes === undefined) return [`has ${file}, which is no regular file`]
  const expected = fileBytesOf(disk)
  return [
    ...(bytes === expected ? [] : [`has ${file} with ${bytes} bytes; its disk has ${expected}`]),
    ...(isPrivate ? [] : [`has ${file}, which other users of the host may read or write`]),
  ]
}

/**
 * Makes the files that the rows need, and deletes the files without rows; for a store that was restored, or whose
 * machines are older than the files.
 */
export async function remakeDisks(reader: Reader, folder: DiskFolder, dataDir: string): Promise<void> {
  const found = machinesIn(dataDir)
  for await (const { id, value } of reader.each(vmCollection)) {
    const disks = await restingDisks(reader, value)
    if (!disks || isMatched(dataDir, id, disks)) continue
    // A page of `each` may be older than the last change of the disks.
    const vm = (await reader.get(vmCollection, id))?.value
    const present = vm && (await restingDisks(reader, vm))
    if (present) mend(folder, dataDir, id, present)
  }
  for (const vm of found) {
    if ((await reader.get(vmCollection, vm)) || (await reader.get(machines, vm))) continue
    folder.remove(vm)
  }
}

const isMatched = (dataDir: string, vm: string, disks: readonly Disk[]): boolean =>
  faultsOf('', disks, diskEntries(dataDir, vm)).length === 0

function mend(folder: DiskFolder, dataDir: string, vm: string, disks: readonly Disk[]): void {
  const wanted = new Set(disks.map(({ name }) => fileNameOf(name)))
  for (const { bytes, name } of diskEntries(dataDir, vm))
    if (bytes === undefined || !wanted.has(name)) folder.removeEntry(vm, name)
  for (const disk of disks) folder.set(vm, disk)
}
