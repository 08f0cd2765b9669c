import type { Reader, StoredPage } from '../../../ports/store.ts'
import type {
  BootBytes,
  BootContent,
  Disk,
  Driver,
  DriverAnswer,
  DriverCall,
  MachineEvent,
  MachineState,
} from '../driver.ts'
import { begin, newMachine, resize, type Beginning } from './begin.ts'
import type { DiskFiles } from './disk-files.ts'
import { lapsedAt, machines } from './machines-store.ts'
import { phase, type Machine, type Verb } from './machine.ts'
import { withSerial } from './serial.ts'
import { simulatedTelemetry } from './simulated-telemetry.ts'

/** The parts of a simulated driver. */
export interface Simulation {
  /** The factor of all durations (setting `compute.sim_time_scale`); at 0 no change takes time. */
  readonly timeScale: number
  /** The files of disks; absent if the server keeps none. */
  readonly disks?: DiskFiles | undefined
  /** Whether an area takes the serial lines of machines; without such an area no lines are kept. */
  readonly isHeard?: () => boolean
}

/** Simulates virtual machines: changes take time, and no guest runs. */
export class SimulatedDriver implements Driver {
  readonly telemetry = simulatedTelemetry
  readonly #timeScale: number
  readonly #disks: DiskFiles | undefined
  readonly #isHeard: () => boolean

  constructor({ disks, isHeard = () => false, timeScale }: Simulation) {
    this.#timeScale = timeScale
    this.#disks = disks
    this.#isHeard = isHeard
  }

  provision = async (call: DriverCall): Promise<DriverAnswer> => {
    const answer = this.#withFiles(await this.#run(call, 'provision'), disks =>
      call.vm.disks.every(disk => disks.set(call.vm.id, disk)),
    )
    return answer.kind === 'done' && call.content ? this.#fill(call, call.content) : answer
  }
  start = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'start')
  shutdown = (call: DriverCall, graceEndMs: number): Promise<DriverAnswer> =>
    this.#run(call, 'shutdown', { graceEndMs })
  powerOff = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'powerOff')
  reset = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'reset')
  suspend = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'suspend')
  resume = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'resume')
  destroy = async (call: DriverCall): Promise<DriverAnswer> => {
    const answer = await this.#run(call, 'destroy')
    // A machine can always be deleted. The next start of a server deletes files that stay now.
    if (answer.kind === 'done') this.#disks?.remove(call.vm.id)
    return answer
  }

  resizeDisk = async (call: DriverCall, disk: Disk): Promise<DriverAnswer> =>
    this.#withFiles(await this.#change(call, machine => resize(machine, disk, this.#beginning(call))), disks =>
      disks.set(call.vm.id, disk),
    )

  async probe(reader: Reader, vm: string, now: number): Promise<MachineState> {
    const machine = (await reader.get(machines, vm))?.value
    if (!machine) return { power: 'ABSENT' }
    const { lapse, power } = phase(now, machine)
    return { power: power === 'GONE' ? 'ABSENT' : power, lapse }
  }

  async *events(reader: Reader, now: number): AsyncGenerator<MachineEvent, void, undefined> {
    let page: StoredPage<Machine> | undefined
    do {
      page = await reader.page(machines, { ...lapsedAt(now), after: page?.next })
      for (const { id, value } of page.items) {
        const { lapse } = phase(now, value)
        if (lapse !== undefined) yield { vm: id, lapse }
      }
    } while (page.next !== undefined)
  }

  /** Begins a change, unless the same request has begun the change before. */
  #run(call: DriverCall, verb: Exclude<Verb, 'resizeDisk'>, more: Partial<Beginning> = {}): Promise<DriverAnswer> {
    return this.#change(call, machine => {
      const { action } = machine
      if (action?.verb === verb && action.request === call.request) return machine
      const next = begin(machine, verb, { ...this.#beginning(call), ...more })
      return this.#isHeard() ? withSerial(machine, next, call.vm, call.now) : next
    })
  }

  /** Writes the changed machine; a machine that is gone is deleted. */
  #change({ now, tx, vm: { id } }: DriverCall, change: (machine: Machine) => Machine): Promise<DriverAnswer> {
    return tx(async inner => {
      const stored = await inner.lock(machines, id)
      const machine = change(stored?.value ?? newMachine(id))
      const { leftMs, power } = phase(now, machine)
      const isGone = power === 'GONE'
      if (!stored && !isGone) await inner.insert(machines, machine)
      if (stored && isGone) await inner.delete(machines, id, stored.version)
      if (stored && !isGone && machine !== stored.value) await inner.update(machines, id, machine, stored.version)
      return answerOf(machine, leftMs)
    })
  }

  /**
   * Changes the files of disks after the change of a machine has ended. A process that is killed in between repeats the
   * call, and so changes the files then.
   */
  #withFiles(answer: DriverAnswer, change: (disks: DiskFiles) => boolean): DriverAnswer {
    if (answer.kind !== 'done' || !this.#disks || change(this.#disks)) return answer
    return filesFailed
  }

  /** Copies the content of a new boot disk, once. A server that keeps no files reads the content to its end. */
  async #fill({ signal, tx, vm }: DriverCall, content: BootContent): Promise<DriverAnswer> {
    const done: DriverAnswer = { kind: 'done' }
    const [disk] = vm.disks
    const isFilled = await tx(async inner => (await inner.get(machines, vm.id))?.value.is_filled ?? false)
    if (isFilled || !disk) return done
    const chunks = content.read()
    const isCopied = this.#disks ? await this.#disks.fill(vm.id, disk, chunks, signal) : await drain(chunks, signal)
    if (!isCopied) return filesFailed
    await tx(async inner => {
      const stored = await inner.lock(machines, vm.id)
      if (stored) await inner.update(machines, vm.id, { ...stored.value, is_filled: true }, stored.version)
    })
    return done
  }

  #beginning({ now, request, vm }: DriverCall): Beginning {
    return { vm, request, now, timeScale: this.#timeScale }
  }
}

const filesFailed: DriverAnswer = { kind: 'failed', message: 'the host could not change the files of the disks' }

/** Reads a content to its end. Throws the reason of `signal`. */
async function drain(chunks: BootBytes, signal: AbortSignal): Promise<true> {
  for await (const _ of chunks) signal.throwIfAborted()
  return true
}

function answerOf({ action }: Machine, leftMs: number): DriverAnswer {
  if (leftMs > 0) return { kind: 'waiting', afterMs: leftMs }
  if (action && action.failure !== '') return { kind: 'failed', message: action.failure }
  return { kind: 'done', isForced: action?.is_forced ?? false }
}
