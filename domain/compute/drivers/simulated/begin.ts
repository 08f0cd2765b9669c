import type { Disk, DriverVm } from '../driver.ts'
import { durationsOf, type Durations } from './durations.ts'
import { phase, wantedPower, type Action, type Machine, type Power, type Verb } from './machine.ts'
import { steeringOf, type FailingChange, type Steering } from './steering.ts'

/** The rule of one kind of change. */
interface Rule {
  /** The powers from which the change begins. A machine whose power is `to` needs no change. */
  readonly from: readonly Power[]
  readonly to: Power | 'GONE'
  readonly takes: keyof Durations | 'nothing'
  /** The value of `sim.fail` that lets the change fail. */
  readonly fails?: FailingChange
  /** Whether a guest boots, so that its life begins anew. */
  readonly isBoot?: true
}

const rules: Readonly<Record<Exclude<Verb, 'resizeDisk'>, Rule>> = {
  provision: { from: ['ABSENT'], to: 'OFF', takes: 'provision', fails: 'provision' },
  start: { from: ['OFF'], to: 'ON', takes: 'boot', fails: 'start', isBoot: true },
  shutdown: { from: ['ON'], to: 'OFF', takes: 'shutdown', fails: 'stop' },
  powerOff: { from: ['ON', 'SAVED'], to: 'OFF', takes: 'nothing', fails: 'stop' },
  reset: { from: ['ON'], to: 'ON', takes: 'boot', fails: 'start', isBoot: true },
  suspend: { from: ['ON'], to: 'SAVED', takes: 'suspend', fails: 'suspend' },
  resume: { from: ['SAVED'], to: 'ON', takes: 'resume', fails: 'resume' },
  destroy: { from: ['OFF', 'ON', 'SAVED'], to: 'GONE', takes: 'destroy' },
}

const states: Readonly<Record<Power, string>> = {
  ABSENT: 'has no disks',
  OFF: 'is off',
  ON: 'is running',
  SAVED: 'has a saved state',
}

/** The facts of a call that begins a change. */
export interface Beginning {
  readonly vm: DriverVm
  readonly request: string
  readonly now: number
  readonly timeScale: number
  /** For `shutdown`: the time at which a guest that is still running is powered off. */
  readonly graceEndMs?: number
}

/** Returns a machine without disks, on which the first call of a driver works. */
export const newMachine = (id: string): Machine => ({ id, power: 'ABSENT', disks: [] })

/**
 * Returns the machine with a new change; a change in progress ends without effect. The metadata of `beginning` steer
 * the whole change.
 */
export function begin(machine: Machine, verb: keyof typeof rules, beginning: Beginning): Machine {
  const { now, request, vm } = beginning
  const rule = rules[verb]
  const settled = settle(machine, now)
  const action = (more: Partial<Action>): Action => ({
    verb,
    request,
    end_ms: now,
    to: rule.to,
    failure: '',
    is_forced: false,
    ...more,
  })
  if (!rule.from.includes(settled.power)) {
    if (verb === 'destroy') return { ...settled, action: action({}) }
    const isThere = settled.power === rule.to || (verb === 'provision' && settled.power !== 'ABSENT')
    if (isThere) return { ...settled, action: action({ to: settled.power }) }
    // The machine may have gone off by itself, and its event is still to be reported.
    return { ...keepLapse(machine), action: action({ failure: `the machine ${states[settled.power]}` }) }
  }
  const steering = steeringOf(vm.metadata)
  const failure = rule.fails !== undefined && steering.fails === rule.fails ? `sim.fail is "${rule.fails}"` : ''
  const ended = action({ failure, ...endOf(rule, verb, beginning, steering) })
  const { lapse, ...alone } = settled
  const isKept = lapse !== undefined && (failure !== '' || rule.to === 'ON')
  const life = rule.isBoot ? lapseOf(steering, ended.end_ms) : isKept ? { lapse } : {}
  return { ...alone, ...life, disks: verb === 'provision' ? vm.disks : settled.disks, action: ended }
}

/**
 * Returns the machine after its last change, or before a change in progress. The lapse of a machine that is off is
 * dropped.
 */
function settle({ lapse, ...machine }: Machine, now: number): Machine {
  const { power } = phase(now, { ...machine, ...(lapse && { lapse }) })
  return { ...machine, power: power === 'GONE' ? 'ABSENT' : power, ...(lapse && power === 'ON' && { lapse }) }
}

/** Returns the end of a change, and whether the guest is powered off then. */
function endOf(
  { takes }: Rule,
  verb: Verb,
  { graceEndMs = Infinity, now, timeScale, vm }: Beginning,
  { ignoresAcpi }: Steering,
): Pick<Action, 'end_ms' | 'is_forced'> {
  const end = takes === 'nothing' ? now : now + durationsOf(vm, timeScale)[takes]
  if (verb !== 'shutdown') return { end_ms: end, is_forced: false }
  const is_forced = ignoresAcpi || end > graceEndMs
  return { end_ms: is_forced ? Math.max(now, graceEndMs) : end, is_forced }
}

/** Returns the end of a guest's life without a call: the earlier of crash and shutdown by the metadata. */
function lapseOf({ crashAfterMs = Infinity, guestShutdownAfterMs = Infinity }: Steering, bootMs: number) {
  const afterMs = Math.min(crashAfterMs, guestShutdownAfterMs)
  if (afterMs === Infinity) return {}
  const cause = crashAfterMs === afterMs ? 'CRASH' : 'GUEST_SHUTDOWN'
  return { lapse: { cause, at_ms: bootMs + afterMs } } as const
}

/**
 * Returns the machine with the power that its last change leads to. The lapse is kept, so that `events` still reports
 * the machine.
 */
function keepLapse({ action, power, ...machine }: Machine): Machine {
  const wanted = wantedPower({ power, ...(action && { action }) })
  return { ...machine, power: wanted === 'GONE' ? 'ABSENT' : wanted }
}

/** Returns the machine with a disk of another size; a size of 0 deletes the disk. Its power stays as it is. */
export function resize(machine: Machine, disk: Disk, { now, request, vm }: Beginning): Machine {
  const settled = keepLapse(machine)
  const isFailing = steeringOf(vm.metadata).fails === 'update'
  const others = machine.disks.filter(({ name }) => name !== disk.name)
  const failure = isFailing ? 'sim.fail is "update"' : ''
  const disks = isFailing ? machine.disks : [...others, ...(disk.size_gib > 0 ? [disk] : [])]
  const action = { verb: 'resizeDisk', request, end_ms: now, to: settled.power, failure, is_forced: false } as const
  return { ...settled, disks, action }
}
