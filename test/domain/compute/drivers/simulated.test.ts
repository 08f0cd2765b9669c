import { expect, it } from 'vitest'
import type { DriverCall, DriverVm, MachineEvent } from '../../../../domain/compute/drivers/driver.ts'
import { machines } from '../../../../domain/compute/drivers/simulated/machines-store.ts'
import { SimulatedDriver } from '../../../../domain/compute/drivers/simulated/simulated-driver.ts'
import { testStore } from '../../../server/store/harness.ts'
import { driverContract, ended, tinyVm, type DriverSubject } from './driver-contract.ts'

/** Makes a simulated driver over a new store. Its clock stands still until the test calls `pass`. */
async function simulated(timeScale = 1): Promise<DriverSubject & { readonly timeOf: () => number }> {
  const store = await testStore(machines)
  const driver = new SimulatedDriver({ timeScale })
  let now = 1_900_000_000_000
  const begun = now
  return {
    driver,
    call: (vm: DriverVm, request: string): DriverCall => ({
      vm,
      request,
      now,
      signal: new AbortController().signal,
      tx: fn => store.tx(fn),
    }),
    pass: async ms => void (now += ms),
    probe: vm => driver.probe(store, vm.id, now),
    async events() {
      const events: MachineEvent[] = []
      for await (const event of driver.events(store, now)) events.push(event)
      return events
    },
    timeOf: () => now - begun,
  }
}

driverContract('SIMULATED', simulated)

/** Provisions and starts a machine. The clock advances exactly by the durations of the two changes. */
async function running(subject: DriverSubject, vm: DriverVm): Promise<void> {
  await ended(subject, (driver, call) => driver.provision(call), vm, 'provision')
  await ended(subject, (driver, call) => driver.start(call), vm, 'start')
}

it.each([0, 0.05])('lets all changes of a machine take their time at the scale %d', async scale => {
  const subject = await simulated(scale)
  await running(subject, tinyVm('vm-scale'))
  const full = 2000 + 100 + 500
  expect(subject.timeOf()).toBeGreaterThanOrEqual(Math.floor(full * scale * 0.9))
  expect(subject.timeOf()).toBeLessThanOrEqual(Math.ceil(full * scale * 1.1))
})

it.each([
  ['provision', 'ABSENT'],
  ['start', 'OFF'],
  ['stop', 'ON'],
  ['suspend', 'ON'],
  ['resume', 'SAVED'],
] as const)('fails to %s where sim.fail says so, and leaves the machine %s', async (fails, power) => {
  const subject = await simulated()
  const vm = tinyVm('vm-fails', { metadata: { 'sim.fail': fails } })
  const answers: string[] = []
  for (const verb of ['provision', 'start', 'suspend', 'resume', 'powerOff'] as const) {
    if (fails === 'stop' && (verb === 'suspend' || verb === 'resume')) continue
    const { kind } = await ended(subject, (driver, call) => driver[verb](call), vm, verb)
    answers.push(kind)
    if (kind === 'failed') break
  }
  expect(answers.at(-1)).toBe('failed')
  expect((await subject.probe(vm)).power).toBe(power)
})

it('powers a guest off that ignores the power button, at the end of its grace period', async () => {
  const subject = await simulated()
  const vm = tinyVm('vm-deaf', { metadata: { 'sim.ignore-acpi': 'true' } })
  await running(subject, vm)
  const before = subject.timeOf()
  const { now } = subject.call(vm, 'stop')
  const answer = await ended(subject, (driver, call) => driver.shutdown(call, now + 1000), vm, 'stop')
  expect(answer).toEqual({ kind: 'done', isForced: true })
  expect(subject.timeOf() - before).toBe(1000)
})

it.each([
  ['sim.crash-after-ms', 'CRASH'],
  ['sim.guest-shutdown-after-ms', 'GUEST_SHUTDOWN'],
] as const)('reports %s after each boot, until a call about the machine follows', async (key, lapse) => {
  const subject = await simulated()
  const vm = tinyVm('vm-lapse', { metadata: { [key]: '700' } })
  await running(subject, vm)
  for (const request of ['first', 'second']) {
    await subject.pass(699)
    expect(await subject.events()).toEqual([])
    await subject.pass(1)
    expect(await subject.events()).toEqual([{ vm: vm.id, lapse }])
    expect(await subject.probe(vm)).toEqual({ power: 'OFF', lapse })
    await ended(subject, (driver, call) => driver.start(call), vm, request)
    expect(await subject.events()).toEqual([])
  }
})

it('reads the metadata when a change begins', async () => {
  const subject = await simulated()
  const vm = tinyVm('vm-steered')
  await ended(subject, (driver, call) => driver.provision(call), vm, 'provision')
  await subject.driver.start(subject.call(vm, 'start'))
  const steered = { ...vm, metadata: { 'sim.fail': 'start' } }
  expect(await ended(subject, (driver, call) => driver.start(call), steered, 'start')).toMatchObject({ kind: 'done' })
  expect(await ended(subject, (driver, call) => driver.reset(call), steered, 'reset')).toMatchObject({ kind: 'failed' })
})
