import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { DriverCall, DriverVm, MachineEvent } from '../../../../domain/compute/drivers/driver.ts'
import type { PortWires } from '../../../../domain/ports/network.ts'
import { guestProcesses, killProcess } from '../../../../server/compute/qemu/processes.ts'
import { QemuDriver } from '../../../../server/compute/qemu/qemu-driver.ts'
import type { DriverSubject } from '../../../domain/compute/drivers/driver-contract.ts'
import { testFolder } from '../../store/harness.ts'

/** A driver that a test can close. */
export interface ClosingSubject extends DriverSubject {
  /** Closes the driver; the guests go on. */
  close(): Promise<void>
}

/** A driver over a folder of its own, whose guests end with the test. */
export interface QemuSubject extends ClosingSubject {
  /** The folder of all machines. */
  readonly folder: string
  /** The attached ports with the paths of their sockets. */
  readonly wired: Map<string, string>
  /** The lines of the log. */
  readonly lines: readonly object[]
  /** Closes the driver, and returns a driver over the same folder, as a server that starts again makes it. */
  again(): Promise<ClosingSubject>
}

/** Ends the guests whose machines are in a folder when the running test ends. */
export function endGuestsOf(folder: string): void {
  onTestFinished(async () => {
    for (const process of guestProcesses(folder)) await killProcess(process)
  })
}

export async function qemuSubject(place: string = testFolder()): Promise<QemuSubject> {
  const folder = join(realpathSync(place), 'compute')
  endGuestsOf(folder)
  const lines: object[] = []
  const wired = new Map<string, string>()
  const wires: PortWires = {
    attach: (port, path) => void wired.set(port, path),
    detach: port => void wired.delete(port),
  }
  const log = { warn: (fields: object) => void lines.push(fields) }
  let driver = new QemuDriver({ folder, wires: () => wires, log, now: Date.now })
  const again = async (): Promise<ClosingSubject> => {
    await driver.close()
    driver = new QemuDriver({ folder, wires: () => wires, log, now: Date.now })
    return subjectOf(driver)
  }
  return { ...subjectOf(driver), again, folder, wired, lines }
}

function subjectOf(driver: QemuDriver): ClosingSubject {
  return {
    close: () => driver.close(),
    driver,
    call: (vm: DriverVm, request: string): DriverCall => ({
      vm,
      request,
      now: Date.now(),
      signal: new AbortController().signal,
      tx: () => Promise.reject(new Error('the driver of QEMU needs no store')),
    }),
    pass: async ms => void (await sleep(ms)),
    probe: vm => driver.probe(undefined, vm.id),
    async events() {
      const events: MachineEvent[] = []
      for await (const event of driver.events()) events.push(event)
      return events
    },
  }
}
