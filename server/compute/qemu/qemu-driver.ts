import type {
  Disk,
  Driver,
  DriverAnswer,
  DriverCall,
  MachineEvent,
  MachineState,
} from '../../../domain/compute/drivers/driver.ts'
import { BootContentFault } from '../../../domain/compute/images/boot-content.ts'
import type { DriverTelemetry, SerialOutput } from '../../../domain/compute/drivers/telemetry.ts'
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
import { ImageFault } from './image-files.ts'
import { Jobs, type Work } from './jobs.ts'
import { lookMs, Machines, type QemuParts } from './machines.ts'
import type { SerialLines } from './serial-lines.ts'
import { lapses, Watch } from './watch.ts'

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
  readonly #machines: Machines
  readonly #watch: Watch
  readonly telemetry: DriverTelemetry

  constructor(parts: QemuParts) {
    const machines = new Machines(parts)
    this.#parts = parts
    this.#machines = machines
    this.#watch = new Watch({ machines, isBusy: vm => this.#jobs.isBusy(vm), log: parts.log })
    this.telemetry = serialTelemetry(machines.lines)
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
      this.#machines.forget(id)
    }
    return answer
  }

  async probe(_reader: unknown, vm: string): Promise<MachineState> {
    const record = this.#machines.folderOf(vm).read()
    if (!record) return { power: 'ABSENT' }
    if (record.power !== 'ON') return { power: record.power }
    const { state } = await this.#machines.guestOf(vm).state(lookMs)
    const lapse = lapses[state]
    return lapse === undefined ? { power: 'ON' } : { power: 'OFF', lapse }
  }

  /** Yields the machines that have gone off. */
  events(): AsyncGenerator<MachineEvent, void, undefined> {
    return this.#watch.events(this.#parts.folder)
  }

  /** Ends the changes in progress and the sessions with guests. The guests go on. */
  async close(): Promise<void> {
    await this.#jobs.close()
    this.#machines.close()
  }

  #run(call: DriverCall, verb: keyof typeof verbs, run: Run): Promise<DriverAnswer> {
    return this.#begin(call, verb, `${verb}/${call.request}`, run)
  }

  #begin(
    { content, signal, vm }: DriverCall,
    verb: keyof typeof verbs,
    name: string,
    run: Run,
    patienceMs?: number,
  ): Promise<DriverAnswer> {
    signal.throwIfAborted()
    const work: Work = async aborted => {
      try {
        return await run({ ...this.#change(vm, name, aborted), content })
      } catch (err) {
        if (aborted.aborted || err instanceof BootContentFault) throw err
        if (err instanceof ImageFault && err.cause === undefined) return { kind: 'failed', message: err.message }
        this.#parts.log.warn({ err, vm: vm.id }, `QEMU could not ${verbs[verb]}`)
        const message = err instanceof ImageFault ? err.message : `the host could not ${verbs[verb]}`
        return { kind: 'failed', message }
      }
    }
    return this.#jobs.run(vm.id, name, work, patienceMs)
  }

  #change(vm: DriverCall['vm'], name: string, signal: AbortSignal): Omit<Change, 'content'> {
    return {
      vm,
      name,
      signal,
      folder: this.#machines.folderOf(vm.id),
      guest: this.#machines.guestOf(vm.id),
      images: this.#machines.home().images,
      host: () => this.#host(vm),
      attach: ports => this.#machines.attach(vm.id, ports),
      detach: () => this.#machines.detach(vm.id),
      end: () => this.#machines.end(vm.id),
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
}

/** Returns the telemetry of guests: their serial lines. QEMU does not report the usage of its guests. */
const serialTelemetry = (lines: SerialLines): DriverTelemetry => ({
  async *serial() {
    yield* lines.waiting()
  },
  async forget(_tx: unknown, output: SerialOutput) {
    lines.forget(output)
  },
  async usage() {
    return undefined
  },
})
