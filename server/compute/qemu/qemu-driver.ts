import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import type {
  Disk,
  Driver,
  DriverAnswer,
  DriverCall,
  Lapse,
  MachineEvent,
  MachineState,
} from '../../../domain/compute/drivers/driver.ts'
import type { PortWires } from '../../../domain/ports/network.ts'
import type { Log } from '../../log.ts'
import { hostAccelerator, hostNodes } from './accelerator.ts'
import {
  destroy,
  powerOff,
  provision,
  reset,
  resizeDisk,
  resume,
  shutdown,
  start,
  suspend,
  type Change,
} from './changes.ts'
import type { HostFacts } from './command-line.ts'
import { drainConsole } from './console.ts'
import { Guest, type GuestState } from './guest.ts'
import { ImageFault, ImageFiles } from './image-files.ts'
import { Jobs, type Work } from './jobs.ts'
import { isVmId, VmFolder, type MachineRecord } from './vm-folder.ts'

/** The parts that the driver needs. */
export interface QemuParts {
  /** The folder of all machines of this host; the driver creates the folder. */
  readonly folder: string
  /** Returns the switch of this server. The driver calls `wires` after the areas are mounted. */
  readonly wires: () => PortWires
  readonly log: Pick<Log, 'warn'>
}

/** The time limit of a look at a guest, in milliseconds. */
const lookMs = 2000

/** The time limit of a change of one disk, in milliseconds. */
const diskMs = 120_000

/** The words for each verb in messages. */
const verbs = {
  provision: 'create the disks of the machine',
  start: 'boot the machine',
  shutdown: 'shut the machine down',
  powerOff: 'power the machine off',
  reset: 'boot the machine anew',
  suspend: 'save the state of the machine',
  resume: 'continue the machine',
  resizeDisk: 'change a disk of the machine',
  destroy: 'delete the machine',
} as const

type Run = (change: Change) => Promise<DriverAnswer>

/**
 * Runs machines by QEMU on this host, one process for each powered machine (compute.md 6). All state is in the folder
 * of the machine and in its process, so guests outlive the server, and a server that starts finds them again. At most
 * one server at a time may use the folder.
 */
export class QemuDriver implements Driver {
  readonly #parts: QemuParts
  readonly #jobs = new Jobs()
  readonly #guests = new Map<string, Guest>()
  /** The attached ports, keyed by machine. */
  readonly #wired = new Map<string, MachineRecord['ports']>()
  #found: { readonly path: string; readonly images: ImageFiles } | undefined

  constructor(parts: QemuParts) {
    this.#parts = parts
  }

  provision = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'provision', provision)
  start = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'start', start)
  powerOff = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'powerOff', powerOff)
  reset = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'reset', reset)
  suspend = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'suspend', suspend)
  resume = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'resume', resume)

  shutdown = (call: DriverCall, graceEndMs: number): Promise<DriverAnswer> =>
    this.#run(call, 'shutdown', change => shutdown(change, graceEndMs - call.now))

  /**
   * Changes a disk and waits for the end of the change: an update changes all disks of a machine in turn with the same
   * request, so the next disk must not abort the change of the disk before.
   */
  resizeDisk = (call: DriverCall, disk: Disk): Promise<DriverAnswer> => {
    const name = `resizeDisk/${call.request}/${disk.name}/${disk.size_gib}`
    return this.#begin(call, 'resizeDisk', name, change => resizeDisk(change, disk), diskMs)
  }

  async destroy(call: DriverCall): Promise<DriverAnswer> {
    const { id } = call.vm
    const answer = await this.#run(call, 'destroy', destroy)
    if (answer.kind === 'done') {
      this.#jobs.forget(id)
      this.#guests.delete(id)
    }
    return answer
  }

  async probe(_reader: unknown, vm: string): Promise<MachineState> {
    const record = this.#folderOf(vm).read()
    if (!record) return { power: 'ABSENT' }
    if (record.power !== 'ON') return { power: record.power }
    const { state } = await this.#guestOf(vm).state(lookMs)
    const lapse = lapses[state]
    return lapse === undefined ? { power: 'ON' } : { power: 'OFF', lapse }
  }

  /**
   * Yields the machines that have gone off. In addition, moves the output of serial ports to files, and connects the
   * ports of guests that have outlived their server.
   */
  async *events(): AsyncGenerator<MachineEvent, void, undefined> {
    if (!existsSync(this.#parts.folder)) return
    if (!this.#found) this.#home().images.clean()
    for (const vm of readdirSync(this.#home().path)) {
      if (!isVmId(vm)) continue
      const lapse = await this.#look(vm).catch((err: unknown) => {
        this.#parts.log.warn({ err, vm }, 'the state of a virtual machine is unknown')
        return undefined
      })
      if (lapse !== undefined) yield { vm, lapse }
    }
  }

  /** Ends the changes in progress and the sessions with guests. The guests go on. */
  async close(): Promise<void> {
    await this.#jobs.close()
    for (const guest of this.#guests.values()) guest.drop()
  }

  /** Looks at a machine between its changes; returns the reason if the machine has gone off without a change. */
  async #look(vm: string): Promise<Lapse | undefined> {
    const folder = this.#folderOf(vm)
    const isOn = (): boolean => !this.#jobs.isBusy(vm) && folder.read()?.power === 'ON'
    if (!isOn()) return undefined
    const guest = this.#guestOf(vm)
    const { run, state } = await guest.state(lookMs)
    // A change may have begun in the meantime.
    if (!isOn()) return undefined
    const lapse = lapses[state]
    if (lapse !== undefined) return lapse
    this.#attach(vm, folder.read()?.ports ?? [])
    await drainConsole(folder, guest)
    // QEMU pauses a guest while the disk of the host is full.
    if (run === 'io-error') await guest.execute('cont')
    return undefined
  }

  #run(call: DriverCall, verb: keyof typeof verbs, run: Run): Promise<DriverAnswer> {
    return this.#begin(call, verb, `${verb}/${call.request}`, run)
  }

  #begin(
    { signal, vm }: DriverCall,
    verb: keyof typeof verbs,
    name: string,
    run: Run,
    patienceMs?: number,
  ): Promise<DriverAnswer> {
    signal.throwIfAborted()
    const work: Work = async aborted => {
      try {
        return await run(this.#change(vm, name, aborted))
      } catch (err) {
        if (aborted.aborted) throw err
        if (err instanceof ImageFault && err.cause === undefined) return { kind: 'failed', message: err.message }
        this.#parts.log.warn({ err, vm: vm.id }, `QEMU could not ${verbs[verb]}`)
        const message = err instanceof ImageFault ? err.message : `the host could not ${verbs[verb]}`
        return { kind: 'failed', message }
      }
    }
    return this.#jobs.run(vm.id, name, work, patienceMs)
  }

  #change(vm: DriverCall['vm'], name: string, signal: AbortSignal): Change {
    return {
      vm,
      name,
      signal,
      folder: this.#folderOf(vm.id),
      guest: this.#guestOf(vm.id),
      images: this.#home().images,
      host: () => this.#host(vm),
      attach: ports => this.#attach(vm.id, ports),
      detach: () => this.#detach(vm.id),
    }
  }

  async #host({ id, numa }: DriverCall['vm']): Promise<HostFacts> {
    const nodes = hostNodes()
    const absent = numa.flatMap(({ host_node }) =>
      host_node === undefined || nodes.includes(host_node) ? [] : [host_node],
    )
    if (absent.length > 0)
      this.#parts.log.warn({ vm: id, nodes: absent }, 'the host lacks NUMA nodes that its target declares')
    return { accelerator: await hostAccelerator(), nodes }
  }

  #attach(vm: string, ports: MachineRecord['ports']): void {
    const folder = this.#folderOf(vm)
    for (const { port, socket } of ports) this.#parts.wires().attach(port, folder.file(socket))
    this.#wired.set(vm, ports)
  }

  #detach(vm: string): void {
    const ports = this.#wired.get(vm) ?? recordOf(this.#folderOf(vm))?.ports ?? []
    for (const { port } of ports) this.#parts.wires().detach(port)
    this.#wired.delete(vm)
  }

  /** Returns the folder of all machines without links, because processes name their folders so. */
  #home() {
    if (this.#found) return this.#found
    mkdirSync(this.#parts.folder, { recursive: true, mode: 0o700 })
    const path = realpathSync(this.#parts.folder)
    return (this.#found = { path, images: new ImageFiles(path) })
  }

  #folderOf(vm: string): VmFolder {
    return new VmFolder(this.#home().path, vm)
  }

  #guestOf(vm: string): Guest {
    const known = this.#guests.get(vm)
    if (known) return known
    const guest = new Guest(this.#folderOf(vm))
    this.#guests.set(vm, guest)
    return guest
  }
}

/** Returns the record of a machine; undefined for a damaged record, which must not prevent a deletion. */
function recordOf(folder: VmFolder): MachineRecord | undefined {
  try {
    return folder.read()
  } catch {
    return undefined
  }
}

/** The reasons for a machine to be off, by the state of its guest. */
const lapses: Readonly<Record<GuestState, Lapse | undefined>> = {
  ON: undefined,
  SHUT_DOWN: 'GUEST_SHUTDOWN',
  BROKEN: 'CRASH',
  GONE: 'CRASH',
}
