import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type {
  Driver,
  DriverAnswer,
  DriverCall,
  DriverVm,
  MachineEvent,
  MachineState,
} from '../../../../domain/compute/drivers/driver.ts'

/** A driver under test, with functions that call the driver and let its time pass. */
export interface DriverSubject {
  readonly driver: Driver
  /** Makes a call of the driver about a machine, for a request. */
  call(vm: DriverVm, request: string): DriverCall
  /** Returns after this time has passed for the driver. */
  pass(ms: number): Promise<void>
  probe(vm: DriverVm): Promise<MachineState>
  events(): Promise<readonly MachineEvent[]>
}

/** A machine of the image `tiny`; its guest obeys the power button. The id is always the same for one label. */
export const tinyVm = (label: string, more: Partial<DriverVm> = {}): DriverVm => ({
  id: idOf(label),
  name: 'web-1',
  vcpus: 1,
  cores_per_socket: 1,
  threads_per_core: 1,
  memory_mib: 128,
  numa: [],
  interfaces: [],
  image: { name: 'tiny', boot_ms: 500 },
  disks: [
    { name: '', size_gib: 1 },
    { name: 'data', size_gib: 2 },
  ],
  metadata: {},
  ...more,
})

/** Returns a UUID that follows from a label. */
const idOf = (label: string): string => {
  const hex = createHash('sha256').update(label).digest('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-')
}

type Verb = (driver: Driver, call: DriverCall) => Promise<DriverAnswer>

const provision: Verb = (driver, call) => driver.provision(call)
const start: Verb = (driver, call) => driver.start(call)
const powerOff: Verb = (driver, call) => driver.powerOff(call)
const suspend: Verb = (driver, call) => driver.suspend(call)
const resume: Verb = (driver, call) => driver.resume(call)
const reset: Verb = (driver, call) => driver.reset(call)
const destroy: Verb = (driver, call) => driver.destroy(call)
const shutdown: Verb = (driver, call) => driver.shutdown(call, call.now + 60_000)

/** Repeats a call until the change has ended, as a step does; throws after 100 calls. Returns the last answer. */
export async function ended(
  { call, driver, pass }: DriverSubject,
  verb: Verb,
  vm: DriverVm,
  request: string,
): Promise<DriverAnswer> {
  for (let i = 0; i < 100; i += 1) {
    const answer = await verb(driver, call(vm, request))
    if (answer.kind !== 'waiting') return answer
    expect(answer.afterMs).toBeGreaterThan(0)
    await pass(answer.afterMs)
  }
  throw new Error('the change does not end')
}

/** The life of a machine: each verb, and the power after the verb. */
const life: readonly (readonly [name: string, verb: Verb, power: MachineState['power']])[] = [
  ['provision', provision, 'OFF'],
  ['start', start, 'ON'],
  ['suspend', suspend, 'SAVED'],
  ['resume', resume, 'ON'],
  ['reset', reset, 'ON'],
  ['shutdown', shutdown, 'OFF'],
  ['start', start, 'ON'],
  ['powerOff', powerOff, 'OFF'],
  ['start', start, 'ON'],
  ['suspend', suspend, 'SAVED'],
  ['powerOff', powerOff, 'OFF'],
  ['destroy', destroy, 'ABSENT'],
]

/** Proves the contract of `Driver` for a driver; `open` returns a driver without machines. */
export function driverContract(name: string, open: () => Promise<DriverSubject>): void {
  describe(`${name} as a driver`, () => {
    it('leads a machine through its whole life', async () => {
      const subject = await open()
      const vm = tinyVm('vm-life')
      expect((await subject.probe(vm)).power).toBe('ABSENT')
      for (const [i, [verb, run, power]] of life.entries()) {
        expect([verb, (await ended(subject, run, vm, `request-${i}`)).kind]).toEqual([verb, 'done'])
        expect([verb, (await subject.probe(vm)).power]).toEqual([verb, power])
      }
    })

    it.each(['provision', 'start', 'shutdown', 'powerOff'] as const)(
      'leaves a machine alone that is as %s wants it',
      async verb => {
        const subject = await open()
        const vm = tinyVm('vm-same')
        const run = { provision, start, shutdown, powerOff }[verb]
        for (const before of [provision, start, run]) await ended(subject, before, vm, `first-${before.name}`)
        const state = await subject.probe(vm)
        expect(await ended(subject, run, vm, 'again')).toMatchObject({ kind: 'done' })
        expect(await subject.probe(vm)).toEqual(state)
      },
    )

    it('answers a repeated call with the end of the same change', async () => {
      const subject = await open()
      const vm = tinyVm('vm-repeat')
      await ended(subject, provision, vm, 'one')
      await ended(subject, start, vm, 'two')
      await ended(subject, reset, vm, 'three')
      expect(await subject.driver.reset(subject.call(vm, 'three'))).toMatchObject({ kind: 'done' })
      await ended(subject, destroy, vm, 'four')
      expect(await subject.driver.destroy(subject.call(vm, 'four'))).toMatchObject({ kind: 'done' })
    })

    it.each([
      ['start', start],
      ['resume', resume],
      ['suspend', suspend],
      ['reset', reset],
    ] as const)('refuses %s of a machine without disks', async (_name, run) => {
      const subject = await open()
      expect(await ended(subject, run, tinyVm('vm-absent'), 'one')).toMatchObject({ kind: 'failed' })
    })

    it('destroys a machine while it boots', async () => {
      const subject = await open()
      const vm = tinyVm('vm-boots')
      await ended(subject, provision, vm, 'one')
      await subject.driver.start(subject.call(vm, 'two'))
      expect(await ended(subject, destroy, vm, 'three')).toMatchObject({ kind: 'done' })
      expect((await subject.probe(vm)).power).toBe('ABSENT')
    })

    it('says that a guest went down within its grace period', async () => {
      const subject = await open()
      const vm = tinyVm('vm-grace')
      for (const before of [provision, start]) await ended(subject, before, vm, before.name)
      expect(await ended(subject, shutdown, vm, 'stop')).toEqual({ kind: 'done', isForced: false })
    })

    it('grows, adds and deletes disks, also twice', async () => {
      const subject = await open()
      const vm = tinyVm('vm-disks')
      await ended(subject, provision, vm, 'one')
      for (const disk of [
        { name: '', size_gib: 3 },
        { name: 'more', size_gib: 1 },
        { name: 'data', size_gib: 0 },
        { name: 'data', size_gib: 0 },
      ]) {
        const answer = await ended(subject, (driver, call) => driver.resizeDisk(call, disk), vm, 'two')
        expect(answer).toMatchObject({ kind: 'done' })
      }
      expect((await subject.probe(vm)).power).toBe('OFF')
    })

    it('has no event of machines that callers power off', async () => {
      const subject = await open()
      const vm = tinyVm('vm-quiet')
      for (const run of [provision, start, shutdown]) await ended(subject, run, vm, run.name)
      expect(await subject.events()).toEqual([])
    })
  })
}
