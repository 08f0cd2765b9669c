import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Finding } from '../../../domain/ports/inspection.ts'
import type { Reader } from '../../../domain/ports/store.ts'
import { bareStatus, type Status } from '../../../domain/compute/vms/transitions.ts'
import { vmCollection, type StoredVm } from '../../../domain/compute/vms/vms-store.ts'
import { disksOf } from '../../../domain/compute/work/driver-step.ts'
import { works } from '../../operations/work.ts'
import { bytesOf, qcow2Header } from './disks.ts'
import { imagesFolder } from './image-files.ts'
import { guestProcesses } from './processes.ts'
import { diskFile, fileNames, isVmId, partial, VmFolder, type MachineRecord } from './vm-folder.ts'

/** The power that the record of a machine must have in a stable status; machines in ERROR may have any. */
const powers: Readonly<Partial<Record<Status, MachineRecord['power']>>> = {
  RUNNING: 'ON',
  STOPPED: 'OFF',
  SUSPENDED: 'SAVED',
}

/**
 * Compares the machines of the driver QEMU with their files and processes on this host. Machines that an operation is
 * changing are left out. A machine that changes during the check may be reported; the next check is then right.
 */
export async function* inspectMachines(reader: Reader, folder: string): AsyncGenerator<Finding, void, undefined> {
  const home = existsSync(folder) ? realpathSync(folder) : folder
  const processes = Map.groupBy(existsSync(folder) ? guestProcesses(home) : [], process => process.folder)
  const left = new Set(existsSync(folder) ? readdirSync(home) : [])
  left.delete(imagesFolder)
  const known = new Set<string>()
  for await (const { id, value } of reader.each(vmCollection)) {
    if (value.driver !== 'QEMU') continue
    left.delete(id)
    known.add(join(home, id))
    if (value.operation_id !== '') continue
    const machine = new VmFolder(home, id)
    const count = processes.get(machine.path)?.length ?? 0
    for (const message of faultsOf(value, machine, count)) yield { resourceType: 'compute.vms', id, message }
  }
  const leaving = await disposed(reader)
  for (const [path, [first]] of processes) {
    if (known.has(path) || leaving.has(basename(path)) || !first) continue
    const message = `runs in process ${first.pid} on this host, and no virtual machine has this id; end the process`
    yield { resourceType: 'compute.machines', id: basename(path), message }
  }
  for (const name of left) {
    if (leaving.has(name)) continue
    const message = isVmId(name)
      ? 'has files on this host, and no virtual machine has this id; delete the folder'
      : 'is a file in the folder of virtual machines that no part of the platform writes'
    yield { resourceType: 'compute.machines', id: name, message }
  }
}

/** Returns the ids of the machines of deleted workspaces that are still to be destroyed. */
async function disposed(reader: Reader): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>()
  for await (const { value } of reader.each(works, { kind: 'compute.dispose' })) {
    const vm: unknown = Reflect.get(Object(value.input), 'vm')
    ids.add(Reflect.get(Object(vm), 'id'))
  }
  return ids
}

function faultsOf(vm: StoredVm, folder: VmFolder, processes: number): readonly string[] {
  const status = bareStatus(vm)
  const expected = powers[status]
  const record = recordOf(folder)
  if (record === 'damaged') return [`has a damaged ${fileNames.machine} on this host`]
  return [
    ...(expected === undefined || record?.power === expected
      ? []
      : [
          `is ${status}, but on this host ${record === undefined ? 'it has no files' : `its power is ${record.power}`}`,
        ]),
    ...processFaults(status, expected, processes),
    ...(record === undefined ? [] : fileFaults(vm, folder, record)),
  ]
}

function recordOf(folder: VmFolder): MachineRecord | undefined | 'damaged' {
  try {
    return folder.read()
  } catch {
    return 'damaged'
  }
}

function processFaults(status: Status, expected: MachineRecord['power'] | undefined, count: number): readonly string[] {
  if (count > 1) return [`has ${count} processes on this host; it must have one`]
  if (expected === 'ON' && count === 0) return [`is ${status}, but no process runs its guest`]
  return expected !== undefined && expected !== 'ON' && count > 0 ? [`is ${status}, but a process runs its guest`] : []
}

/**
 * Returns the faults of the files of a machine: each disk needs a file of its size, a suspended machine needs its saved
 * state, and no other disks may exist.
 */
function fileFaults(vm: StoredVm, folder: VmFolder, { power }: MachineRecord): readonly string[] {
  const disks = disksOf(vm)
  const wanted = new Map(disks.map(disk => [diskFile(disk.name), disk]))
  const present = readdirSync(folder.path)
  const faults = power === 'SAVED' && !folder.has(fileNames.saved) ? ['has lost its saved state'] : []
  for (const [file, disk] of wanted) {
    const name = disk.name === '' ? 'boot disk' : `data disk ${disk.name}`
    const bytes = present.includes(file) ? qcow2Header(folder.file(file))?.virtualBytes : undefined
    if (bytes === undefined) faults.push(`has no file for its ${name}`)
    else if (bytes < bytesOf(disk)) faults.push(`has ${bytes} bytes for its ${name}; it must have ${bytesOf(disk)}`)
  }
  for (const file of present)
    if ((file.endsWith('.qcow2') && !wanted.has(file)) || file.endsWith(partial))
      faults.push(`has the file ${file}, which belongs to no disk`)
  return faults
}
