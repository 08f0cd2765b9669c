import type { DriverVm } from '../driver.ts'
import type { SerialLine } from '../telemetry.ts'
import { phase, type Machine } from './machine.ts'

/** The number of serial lines that a machine keeps until they are forgotten; the earliest lines are dropped. */
const maxLines = 64

/** The lines of a machine whose time has not come when a change begins are dropped: that change replaced them. */
const written = (lines: readonly SerialLine[], now: number): readonly SerialLine[] =>
  lines.filter(({ at_ms }) => at_ms <= now)

/**
 * Returns `next`, a machine whose change begins at `now`, with the serial lines that its guest writes during the change
 * and during its life until the lapse. `before` is the machine before the change.
 */
export function withSerial(before: Machine, next: Machine, vm: DriverVm, now: number): Machine {
  const lines = [
    ...written(before.serial?.lines ?? [], now),
    ...changeLines(before, next, vm, now),
    ...lapseLines(next),
  ]
  return keeping(next, lines)
}

/** Returns the machine without these lines. A line that the machine has written since then may have an equal time. */
export function withoutSerial(machine: Machine, lines: readonly SerialLine[]): Machine {
  const keys = new Set(lines.map(keyOf))
  return keeping(machine, machine.serial?.lines.filter(line => !keys.has(keyOf(line))) ?? [])
}

const keyOf = ({ at_ms, text }: SerialLine): string => `${at_ms} ${text}`

function keeping({ serial: _before, ...machine }: Machine, lines: readonly SerialLine[]): Machine {
  const kept = lines.slice(-maxLines)
  const [first] = kept
  return first ? { ...machine, serial: { first_ms: first.at_ms, lines: kept } } : machine
}

function changeLines(before: Machine, { action }: Machine, vm: DriverVm, now: number): readonly SerialLine[] {
  if (!action) return []
  const { power } = phase(now, before)
  const { end_ms, failure, is_forced, verb } = action
  const isBoot = (verb === 'start' && power === 'OFF') || (verb === 'reset' && power === 'ON')
  if (isBoot) return spread(failure === '' ? bootTexts(vm) : [firmware, 'Boot failed: no bootable disk'], now, end_ms)
  const isObeying = verb === 'shutdown' && power === 'ON' && failure === '' && !is_forced
  return isObeying ? spread(['ACPI: power button pressed', ...downTexts], now, end_ms) : []
}

/** A guest that will power itself off writes lines then; a crash writes none. */
const lapseLines = ({ lapse }: Machine): readonly SerialLine[] =>
  lapse?.cause === 'GUEST_SHUTDOWN' ? downTexts.map(text => ({ at_ms: lapse.at_ms, text })) : []

const firmware = 'SeaBIOS (simulated)'
const downTexts: readonly string[] = ['The system is going down for power off', 'reboot: Power down']

/** The texts of a boot, by the image of the boot disk. */
function bootTexts({ image, memory_mib, name, vcpus }: DriverVm): readonly string[] {
  if (image?.name === 'tiny') return [firmware, 'boot']
  if (image?.name === 'blank') return [firmware, 'No bootable device']
  return [
    firmware,
    'Booting from Hard Disk...',
    `Memory: ${memory_mib * 1024}K available`,
    `smp: Brought up 1 node, ${vcpus} CPU${vcpus === 1 ? '' : 's'}`,
    `${image?.name ?? 'unknown image'} ${name} ttyS0`,
    `${name} login:`,
  ]
}

/** Gives the texts equal distances in time; the last text is written at `end`. */
const spread = (texts: readonly string[], now: number, end: number): readonly SerialLine[] =>
  texts.map((text, i) => ({ at_ms: Math.round(now + ((end - now) * (i + 1)) / texts.length), text }))
