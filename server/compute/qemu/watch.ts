import { existsSync, readdirSync } from 'node:fs'
import type { Lapse, MachineEvent } from '../../../domain/compute/drivers/driver.ts'
import type { Log } from '../../log.ts'
import type { GuestState } from './guest.ts'
import { lookMs, type Machines } from './machines.ts'
import { isVmId } from './vm-folder.ts'

/** The number of machines that are looked at together, so that guests without an answer delay the others little. */
const together = 64

/** The reasons for a machine to be off, by the state of its guest. */
export const lapses: Readonly<Record<GuestState, Lapse | undefined>> = {
  ON: undefined,
  SHUT_DOWN: 'GUEST_SHUTDOWN',
  BROKEN: 'CRASH',
  GONE: 'CRASH',
}

/**
 * The states of QEMU in which a guest waits although no change is in progress: the disk of the host was full, or an
 * interrupted change has paused the guest.
 */
const pauses: readonly string[] = ['io-error', 'paused', 'postmigrate']

/** The parts of a watch. */
export interface WatchParts {
  readonly machines: Machines
  /** Whether a change of a machine is in progress. */
  readonly isBusy: (vm: string) => boolean
  readonly log: Pick<Log, 'warn'>
}

/** Looks at the machines of this host between their changes. */
export class Watch {
  readonly #parts: WatchParts
  /** The machines whose state was unknown at the last look. */
  readonly #unknown = new Set<string>()

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  /**
   * Yields the machines of a folder that have gone off. In addition, moves the output of serial ports to files and
   * lines, and connects the ports of guests that have outlived their server.
   */
  async *events(folder: string): AsyncGenerator<MachineEvent, void, undefined> {
    if (!existsSync(folder)) return
    const { machines } = this.#parts
    if (!machines.isOpen) machines.home().images.clean()
    const vms = readdirSync(machines.home().path).filter(isVmId)
    for (let i = 0; i < vms.length; i += together) {
      const some = vms.slice(i, i + together)
      const seen = await Promise.all(some.map(vm => this.#lapseOf(vm)))
      for (const vm of some.filter((_, at) => seen[at] !== undefined)) {
        // A change may have begun while the caller has followed another event.
        const lapse = await this.#lapseOf(vm)
        if (lapse !== undefined) yield { vm, lapse }
      }
    }
  }

  /** Returns the reason if a machine has gone off without a change. Logs the first of several failures in a row. */
  async #lapseOf(vm: string): Promise<Lapse | undefined> {
    try {
      const lapse = await this.#look(vm)
      this.#unknown.delete(vm)
      return lapse
    } catch (err) {
      if (!this.#unknown.has(vm)) this.#parts.log.warn({ err, vm }, 'the state of a virtual machine is unknown')
      this.#unknown.add(vm)
      return undefined
    }
  }

  async #look(vm: string): Promise<Lapse | undefined> {
    const { isBusy, machines } = this.#parts
    const folder = machines.folderOf(vm)
    const isOn = (): boolean => !isBusy(vm) && folder.read()?.power === 'ON'
    if (!isOn()) return undefined
    const guest = machines.guestOf(vm)
    const { run, state } = await guest.state(lookMs)
    // A change may have begun in the meantime.
    if (!isOn()) return undefined
    const lapse = lapses[state]
    if (lapse !== undefined) return lapse
    machines.attach(vm, folder.read()?.ports ?? [])
    if (pauses.includes(run)) await guest.execute('cont', {}, lookMs)
    await machines.drain(vm)
    return undefined
  }
}
