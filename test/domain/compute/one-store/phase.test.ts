import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { begin, newMachine, resize } from '../../../../domain/compute/drivers/simulated/begin.ts'
import { durationsOf, spread } from '../../../../domain/compute/drivers/simulated/durations.ts'
import { phase, type Machine } from '../../../../domain/compute/drivers/simulated/machine.ts'
import { steeringOf } from '../../../../domain/compute/drivers/simulated/steering.ts'
import { tinyVm } from '../drivers/driver-contract.ts'

const verbs = ['provision', 'start', 'shutdown', 'powerOff', 'reset', 'suspend', 'resume'] as const

const metadata = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { 'sim.ignore-acpi': 'true' },
  { 'sim.fail': 'start' },
  { 'sim.fail': 'stop' },
  { 'sim.crash-after-ms': '40' },
  { 'sim.guest-shutdown-after-ms': '900' },
)

const acts = fc.array(
  fc.record({ verb: fc.constantFrom(...verbs, 'resize' as const), afterMs: fc.nat(5000), metadata }),
  { maxLength: 30 },
)

/** Begins each change some time after the previous change, and passes each machine and the time to `see`. */
function run(changes: typeof acts extends fc.Arbitrary<infer T> ? T : never, see: (m: Machine, now: number) => void) {
  let machine = newMachine('vm-1')
  let now = 1_000_000
  for (const [i, { afterMs, metadata, verb }] of changes.entries()) {
    now += afterMs
    const beginning = { vm: tinyVm('vm-1', { metadata }), request: `r${i}`, now, timeScale: 1, graceEndMs: now + 700 }
    machine =
      verb === 'resize' ? resize(machine, { name: 'data', size_gib: 3 }, beginning) : begin(machine, verb, beginning)
    see(machine, now)
  }
}

describe('phase', () => {
  it('ends every change, and says how long it still takes', () => {
    fc.assert(
      fc.property(acts, changes => {
        run(changes, (machine, now) => {
          const { leftMs } = phase(now, machine)
          expect(leftMs).toBeGreaterThanOrEqual(0)
          expect(leftMs).toBeLessThan(11_000)
          if (leftMs > 0) expect(phase(now + leftMs - 1, machine)).toMatchObject({ leftMs: 1 })
          expect(phase(now + leftMs, machine).leftMs).toBe(0)
        })
      }),
    )
  })

  it('lets a machine that is on go off by itself once at most', () => {
    fc.assert(
      fc.property(acts, fc.nat(5000), (changes, laterMs) => {
        run(changes, (machine, now) => {
          const { lapse, leftMs, power } = phase(now + laterMs, machine)
          if (lapse !== undefined) expect([power, leftMs]).toEqual(['OFF', 0])
          const off = begin(machine, 'powerOff', {
            vm: tinyVm('vm-1'),
            request: 'off',
            now: now + 20_000,
            timeScale: 1,
          })
          expect(phase(now + 40_000, off).lapse).toBeUndefined()
        })
      }),
    )
  })
})

describe('the durations of a machine', () => {
  it('are those of the interface, within a tenth that its id decides', () => {
    const vm = tinyVm('0199c5b2-61f3-7a08-8d27-4e5f60718293', {
      memory_mib: 2048,
      disks: [{ name: '', size_gib: 20 }],
      image: { name: 'debian-13', boot_ms: 8000 },
    })
    const factor = spread(vm.id)
    expect(Math.abs(factor - 1)).toBeLessThanOrEqual(0.1)
    const full = { provision: 4000, boot: 8000, shutdown: 3000, suspend: 3000, resume: 1500, destroy: 1000 }
    const expected = Object.fromEntries(Object.entries(full).map(([name, ms]) => [name, Math.round(ms * factor)]))
    expect(durationsOf(vm, 1)).toEqual(expected)
    expect(new Set(Object.values(durationsOf(vm, 0)))).toEqual(new Set([0]))
  })

  it('end provision after ten seconds', () => {
    const { provision } = durationsOf(tinyVm('vm-1', { disks: [{ name: '', size_gib: 65_536 }] }), 1)
    expect(provision).toBeLessThanOrEqual(11_000)
  })
})

it.each([
  ['nothing', {}, { ignoresAcpi: false, fails: undefined, crashAfterMs: undefined, guestShutdownAfterMs: undefined }],
  ['an acpi key that is not true', { 'sim.ignore-acpi': 'yes' }, { ignoresAcpi: false }],
  [
    'a time',
    { 'sim.crash-after-ms': '0', 'sim.guest-shutdown-after-ms': '12' },
    { crashAfterMs: 0, guestShutdownAfterMs: 12 },
  ],
  ['no time', { 'sim.crash-after-ms': '-1', 'sim.guest-shutdown-after-ms': '1e3' }, { crashAfterMs: undefined }],
] as const)('the keys of a simulation with %s', (_name, given, expected) => {
  expect(steeringOf(given)).toMatchObject(expected)
})
