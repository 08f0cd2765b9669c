import type { Reader, StoredPage, Transaction } from '../../../ports/store.ts'
import type { DriverTelemetry, MeasuredVm, SerialOutput, Usage } from '../telemetry.ts'
import type { Machine } from './machine.ts'
import { machines, writtenAt } from './machines-store.ts'
import { withoutSerial } from './serial.ts'
import { usageOf } from './usage.ts'

/** The serial lines of simulated machines, which their rows keep, and their made-up usage. */
export const simulatedTelemetry: DriverTelemetry = {
  async *serial(reader: Reader, now: number) {
    let page: StoredPage<Machine> | undefined
    do {
      page = await reader.page(machines, { ...writtenAt(now), after: page?.next })
      for (const { id, value } of page.items) {
        const lines = value.serial?.lines.filter(({ at_ms }) => at_ms <= now) ?? []
        yield { vm: id, lines }
      }
    } while (page.next !== undefined)
  },
  async forget(tx: Transaction, { lines, vm }: SerialOutput) {
    const stored = await tx.lock(machines, vm)
    if (stored) await tx.update(machines, vm, withoutSerial(stored.value, lines), stored.version)
  },
  async usage(vm: MeasuredVm, now: number): Promise<Usage> {
    return usageOf(vm, now)
  },
}
