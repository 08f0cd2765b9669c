import { rmSync } from 'node:fs'
import type { BootContent, Disk, DriverAnswer, DriverVm } from '../../../domain/compute/drivers/driver.ts'
import type { HostFacts } from './command-line.ts'
import { argumentsOf, type Beginning } from './command-line.ts'
import { copiedObject, objectImage } from './copied-object.ts'
import { bytesOf, bytesPerGib, createDisk, growDisk, qcow2Header, type BaseImage } from './disks.ts'
import type { Guest } from './guest.ts'
import type { ImageFiles } from './image-files.ts'
import { pinProcessors } from './pinning.ts'
import { hasGoneDown } from './power-button.ts'
import { abandonState, loadState, SaveFailed, saveState } from './saved-state.ts'
import { writeSeed } from './seed.ts'
import { untilAborted } from './until-aborted.ts'
import { diskFile, diskNode, fileNames, interfaceSocket, type MachineRecord, type VmFolder } from './vm-folder.ts'

/** The parts of a change of one machine. */
export interface Change {
  readonly vm: DriverVm
  /** The content of the boot disk; undefined for a boot disk from an image. */
  readonly content: BootContent | undefined
  readonly folder: VmFolder
  readonly guest: Guest
  readonly images: ImageFiles
  readonly host: () => Promise<HostFacts>
  /** The verb and the request of the change; a repeated change has the same name. */
  readonly name: string
  readonly signal: AbortSignal
  /** Connects the ports in the record of the machine with the switch. */
  readonly attach: (ports: MachineRecord['ports']) => void
  /** Disconnects all ports of the machine. */
  readonly detach: () => void
  /** Ends the process of the machine, after the last output of its serial port is kept. */
  readonly end: () => Promise<void>
}

const done: DriverAnswer = { kind: 'done' }

const failed = (message: string): DriverAnswer => ({ kind: 'failed', message })

/** Returns the failure of a change that the state of the machine does not allow. */
const refused = (power: MachineRecord['power'] | undefined): DriverAnswer =>
  failed(`the machine ${power === undefined ? 'has no disks' : powers[power]}`)

const powers = { OFF: 'is off', ON: 'is running', SAVED: 'has a saved state' } as const

/** Creates the disks that a machine lacks. */
export async function provision(change: Change): Promise<DriverAnswer> {
  const { folder, signal, vm } = change
  folder.make()
  folder.clean()
  for (const disk of vm.disks) {
    const isNewBootDisk = disk.name === '' && !folder.has(diskFile(''))
    const base = isNewBootDisk ? await baseOf(change) : undefined
    // The guest of a smaller disk would see an image without its end.
    if (base && base.virtualBytes > bytesOf(disk)) {
      const gib = Math.ceil(base.virtualBytes / bytesPerGib)
      return failed(`image ${vm.image?.name ?? objectImage} has ${gib} GiB, and the boot disk only ${disk.size_gib}`)
    }
    await createDisk(folder, disk, base, signal)
  }
  if (!folder.read()) folder.write({ power: 'OFF', ports: [] })
  return done
}

/** Returns the first content of a boot disk: the copy of its object, or its image. */
const baseOf = ({ content, folder, images, signal, vm }: Change): Promise<BaseImage | undefined> =>
  content ? copiedObject(folder, content, signal) : untilAborted(images.baseOf(vm.image), signal)

/** Boots a machine that is off. A process of an interrupted start is kept. */
export async function start(change: Change): Promise<DriverAnswer> {
  const { attach, folder, guest, signal, vm } = change
  const record = folder.read()
  if (record?.power !== 'ON' && record?.power !== 'OFF') return refused(record?.power)
  const { run, state } = await guest.state()
  if (state !== 'ON') {
    await guest.end()
    folder.clean()
    await writeSeed(folder, vm, signal)
    await spawn(change, { kind: 'boot' })
  }
  if (state === 'ON' && run !== 'running') await guest.execute('cont')
  const ports = portsOf(vm)
  folder.write({ power: 'ON', ports })
  attach(ports)
  return done
}

/** Starts QEMU for a machine. After a failure no process is left. */
async function spawn({ folder, guest, host, signal, vm }: Change, beginning: Beginning): Promise<void> {
  const facts = await host()
  try {
    await guest.spawn(argumentsOf(vm, facts, beginning), signal)
    if (vm.numa.length > 0 && facts.nodes.length > 1) await pinProcessors(guest, vm.numa, folder.path)
  } catch (error) {
    await guest.end()
    throw error
  }
}

const portsOf = ({ interfaces }: DriverVm): MachineRecord['ports'] =>
  interfaces.map(({ name, port_id }) => ({ port: port_id, socket: interfaceSocket(name) }))

/** Presses the power button, and powers the guest off unless the guest goes down within `graceMs`. */
export async function shutdown(change: Change, graceMs: number): Promise<DriverAnswer> {
  const { detach, end, folder, name } = change
  const record = folder.read()
  if (record?.done?.change === name) return { kind: 'done', isForced: record.done.isForced }
  if (record?.power === 'OFF') return { kind: 'done', isForced: false }
  if (record?.power !== 'ON') return refused(record?.power)
  const isForced = !(await hasGoneDown(change, graceMs))
  detach()
  await end()
  folder.clean()
  folder.write({ power: 'OFF', ports: [], done: { change: name, isForced } })
  return { kind: 'done', isForced }
}

/** Powers a machine off, and discards a saved state. */
export async function powerOff({ detach, end, folder }: Change): Promise<DriverAnswer> {
  detach()
  await end()
  if (!folder.read()) return done
  folder.clean()
  folder.write({ power: 'OFF', ports: [] })
  rmSync(folder.file(fileNames.saved), { force: true })
  return done
}

/** Boots a running machine anew. */
export async function reset({ folder, guest, name }: Change): Promise<DriverAnswer> {
  const record = folder.read()
  if (record?.done?.change === name) return done
  if (record?.power !== 'ON') return refused(record?.power)
  const { run, state } = await guest.state()
  if (state !== 'ON') return refused('OFF')
  await guest.execute('system_reset')
  if (run !== 'running') await guest.execute('cont')
  folder.write({ ...record, done: { change: name, isForced: false } })
  return done
}

/** Saves the state of a running machine, and ends its process. After a failure the guest goes on. */
export async function suspend({ detach, end, folder, guest, signal }: Change): Promise<DriverAnswer> {
  const record = folder.read()
  if (record?.power === 'SAVED') {
    await guest.end()
    return done
  }
  if (record?.power !== 'ON') return refused(record?.power)
  if ((await guest.state()).state !== 'ON') return refused('OFF')
  try {
    const hardware = await saveState(folder, guest, signal)
    folder.write({ power: 'SAVED', ports: [], hardware })
  } catch (error) {
    if (signal.aborted) throw error
    await abandonState(folder, guest)
    if (!(error instanceof SaveFailed)) throw error
    return failed('the memory of the guest could not be saved')
  }
  detach()
  await end()
  return done
}

/** Continues a machine from its saved state. After a failure the saved state is kept. */
export async function resume(change: Change): Promise<DriverAnswer> {
  const { attach, folder, guest, signal, vm } = change
  const record = folder.read()
  if (record?.power === 'ON') return goOn(change)
  if (record?.power !== 'SAVED') return refused(record?.power)
  if (!folder.has(fileNames.saved)) return failed('the saved state is lost')
  // An interrupted resume has left a process that has not yet run the guest.
  await guest.end()
  await spawn(change, { kind: 'incoming', hardware: record.hardware ?? '' })
  try {
    await loadState(guest, signal)
  } catch (error) {
    await guest.end()
    throw error
  }
  const ports = portsOf(vm)
  // From here on the guest may write to its disks, so the saved state must not be loaded again.
  folder.write({ power: 'ON', ports })
  attach(ports)
  return goOn(change)
}

/** Runs a guest whose state is loaded. */
async function goOn({ folder, guest }: Change): Promise<DriverAnswer> {
  const { run, state } = await guest.state()
  if (state !== 'ON') return refused('OFF')
  if (run !== 'running') await guest.execute('cont')
  rmSync(folder.file(fileNames.saved), { force: true })
  return done
}

/** Creates or grows a disk; a size of 0 deletes a data disk. */
export async function resizeDisk({ folder, guest, signal }: Change, disk: Disk): Promise<DriverAnswer> {
  const record = folder.read()
  if (!record) return refused(undefined)
  const file = diskFile(disk.name)
  const isThere = folder.has(file)
  if (disk.size_gib === 0 && !isThere) return done
  if (isThere && disk.size_gib > 0 && (qcow2Header(folder.file(file))?.virtualBytes ?? 0) >= bytesOf(disk)) return done
  const { state } = await guest.state()
  if (state === 'ON') {
    if (!isThere || disk.size_gib === 0) return refused('ON')
    await guest.execute('block_resize', { 'node-name': diskNode(disk.name), size: bytesOf(disk) })
    return done
  }
  if (record.power === 'SAVED') return refused('SAVED')
  if (disk.size_gib === 0) rmSync(folder.file(file))
  else if (isThere) await growDisk(folder, disk)
  else await createDisk(folder, disk, undefined, signal)
  return done
}

/** Powers the machine off, and deletes its files. */
export async function destroy({ detach, folder, guest }: Change): Promise<DriverAnswer> {
  detach()
  await guest.end()
  rmSync(folder.path, { recursive: true, force: true })
  return done
}
