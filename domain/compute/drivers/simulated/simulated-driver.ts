import type { Reader, StoredPage } from '../../../ports/store.ts'
import type { Disk, Driver, DriverAnswer, DriverCall, MachineEvent, MachineState } from '../driver.ts'
import { begin, newMachine, resize, type Beginning } from './begin.ts'
import { lapsedAt, machines } from './machines-store.ts'
import { phase, type Machine, type Verb } from './machine.ts'

/** Simulates virtual machines: their changes take time, and nothing runs. */
export class SimulatedDriver implements Driver {
  readonly #timeScale: number

  /** `timeScale` is the factor of all durations; 0: no change takes time (setting `compute.sim_time_scale`). */
  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  provision = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'provision')
  start = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'start')
  shutdown = (call: DriverCall, graceEndMs: number): Promise<DriverAnswer> =>
    this.#run(call, 'shutdown', { graceEndMs })
  powerOff = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'powerOff')
  reset = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'reset')
  suspend = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'suspend')
  resume = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'resume')
  destroy = (call: DriverCall): Promise<DriverAnswer> => this.#run(call, 'destroy')

  resizeDisk = (call: DriverCall, disk: Disk): Promise<DriverAnswer> =>
    this.#change(call, machine => resize(machine, disk, this.#beginning(call)))

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

  /** Begins a change, or goes on with the change that the same request has begun. */
  #run(call: DriverCall, verb: Exclude<Verb, 'resizeDisk'>, more: Partial<Beginning> = {}): Promise<DriverAnswer> {
    return this.#change(call, machine => {
      const { action } = machine
      const isRepeated = action?.verb === verb && action.request === call.request
      return isRepeated ? machine : begin(machine, verb, { ...this.#beginning(call), ...more })
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

  #beginning({ now, request, vm }: DriverCall): Beginning {
    return { vm, request, now, timeScale: this.#timeScale }
  }
}

function answerOf({ action }: Machine, leftMs: number): DriverAnswer {
  if (leftMs > 0) return { kind: 'waiting', afterMs: leftMs }
  if (action && action.failure !== '') return { kind: 'failed', message: action.failure }
  return { kind: 'done', isForced: action?.is_forced ?? false }
}
