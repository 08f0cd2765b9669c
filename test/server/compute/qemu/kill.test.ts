import { execFileSync } from 'node:child_process'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ComputeClient } from '../../../../output/compute/client.ts'
import type { ComputeOperation, VmStatus } from '../../../../output/compute/types.ts'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { restartsOf, toldRestarts } from '../../../areas/kill/restarts.ts'
import { startWalked, type WalkedProcess } from '../../../areas/kill/walked-process.ts'
import { addTenant } from '../../../areas/members.ts'
import { seeded } from '../../../areas/random.ts'
import { testToken } from '../../access/test-access.ts'
import { freePort } from '../../killed/processes.ts'
import { testStorePlace } from '../../store/left-place.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { machineAreas } from './machine-areas.ts'
import { endGuestsOf } from './qemu-subject.ts'
import { addQemuZone, qemuBody } from './qemu-zone.ts'

const program = fileURLToPath(new URL('./killed-server.ts', import.meta.url))

/** The number of laps. For more: `NINEFOLD_QEMU_KILLS=5 npx vitest run test/server/compute/qemu/kill.test.ts` */
const laps = Number(process.env['NINEFOLD_QEMU_KILLS'] ?? 1)

/** The maximal delay between the calls and the kill, in milliseconds. */
const mostDelayMs = 800

/** One server over a place, which is killed and started again; its clients retry until a server answers. */
class KilledServer {
  readonly place: StorePlace
  readonly startsMs: number[] = []
  readonly api: Ninefold
  readonly #port: number
  #process: WalkedProcess | undefined

  constructor(place: StorePlace, port: number) {
    this.place = place
    this.#port = port
    const call: typeof fetch = async (target, init) => {
      for (;;) {
        try {
          const answer = await fetch(`http://127.0.0.1:${port}${String(target)}`, init)
          if (answer.status !== 503) return answer
        } catch {
          // No server listens at the moment.
        }
        init?.signal?.throwIfAborted()
        await sleep(20)
      }
    }
    this.api = new Ninefold(createTransport({ baseUrl: '', token: testToken, fetch: call }))
  }

  async start(): Promise<void> {
    this.#process = await startWalked(program, { place: this.place, port: this.#port }, () => {}, onTestFinished)
    this.startsMs.push(this.#process.startMs)
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }
}

type Status = 'RUNNING' | 'STOPPED' | 'SUSPENDED' | 'GONE'

interface Known {
  readonly id: string
  readonly status: Status
}

type Call = (
  compute: ComputeClient,
  to: { readonly workspace: string; readonly id: string },
) => Promise<ComputeOperation>

/** The verbs, each with the status that allows the verb, or `ANY`, and the status to which the verb leads. */
const verbs: Readonly<Record<string, readonly [from: Status | 'ANY', to: Status, call: Call]>> = {
  stop: ['RUNNING', 'STOPPED', (compute, to) => compute.stopVm({ ...to, body: {} })],
  suspend: ['RUNNING', 'SUSPENDED', (compute, to) => compute.suspendVm({ ...to, body: {} })],
  restart: ['RUNNING', 'RUNNING', (compute, to) => compute.restartVm({ ...to, body: {} })],
  reset: ['RUNNING', 'RUNNING', (compute, to) => compute.resetVm({ ...to, body: {} })],
  grow: [
    'RUNNING',
    'RUNNING',
    async (compute, to) => {
      const { boot_disk } = await compute.getVm(to)
      const body = { boot_disk: { size_gib: (boot_disk.size_gib ?? 1) + 1 } }
      return compute.updateVm({ ...to, update_mask: 'boot_disk.size_gib', body })
    },
  ],
  start: ['STOPPED', 'RUNNING', (compute, to) => compute.startVm({ ...to, body: {} })],
  resume: ['SUSPENDED', 'RUNNING', (compute, to) => compute.resumeVm({ ...to, body: {} })],
  discard: [
    'SUSPENDED',
    'STOPPED',
    (compute, to) => compute.stopVm({ ...to, body: { discard_saved_state: true, grace_period_seconds: 0 } }),
  ],
  delete: ['ANY', 'GONE', (compute, to) => compute.deleteVm(to)],
}

/**
 * The rounds of a lap: a verb for each of five machines, which are all RUNNING before and after a lap. A single lap is
 * cut to its first two rounds.
 */
const rounds: readonly (readonly string[])[] = [
  ['stop', 'suspend', 'restart', 'reset', 'grow'],
  ['start', 'resume', 'suspend', 'stop', 'restart'],
  ['suspend', 'reset', 'discard', 'start', 'stop'],
  ['resume', 'grow', 'start', 'suspend', 'start'],
  ['reset', 'restart', 'suspend', 'resume', 'grow'],
  ['grow', 'stop', 'resume', 'suspend', 'reset'],
  ['suspend', 'start', 'stop', 'resume', 'restart'],
  ['resume', 'restart', 'start', 'reset', 'suspend'],
  ['restart', 'reset', 'grow', 'restart', 'resume'],
]

/** The last round. */
const deletion = ['delete', 'delete', 'delete', 'delete', 'delete']

/** Returns the ids of the machines whose guests run, as the system lists the processes of the folder. */
function runningIds(folder: string): readonly string[] {
  const lines = execFileSync('ps', ['-eww', '-o', 'stat=,args='], { encoding: 'utf8' }).split('\n')
  const ids = lines.flatMap(line => /qemu-system-x86_64 .*-uuid (\S+)/.exec(line)?.[1] ?? [])
  return ids.filter(id => readdirSync(folder).includes(id)).toSorted()
}

describe.skipIf(lacksQemu)('a server with guests of QEMU', () => {
  it('finds its guests again after it is killed during any verb', { timeout: 180_000 + laps * 120_000 }, async () => {
    const server = new KilledServer(await testStorePlace(), await freePort())
    await server.start()
    const { api, place } = server
    const folder = join(realpathSync(place.dataDir), 'compute')
    endGuestsOf(folder)
    await addQemuZone(api)
    const { workspace } = await addTenant(api, 'acme')
    const random = seeded(Date.now())

    /** Kills the server while calls are in progress, and returns the operations after their end. */
    const killed = async (calls: readonly Promise<ComputeOperation>[]): Promise<readonly ComputeOperation[]> => {
      await sleep(random.below(mostDelayMs))
      await server.kill()
      await server.start()
      return Promise.all(calls.map(async call => api.compute.waitOperation(await call)))
    }

    const proves = async (machines: readonly Known[]): Promise<void> => {
      const there = machines.filter(({ status }) => status !== 'GONE')
      const { vms } = await api.compute.listVms({ workspace })
      const statuses = new Map(vms.map(({ id, status }): [string, VmStatus] => [id, status]))
      expect(statuses).toEqual(new Map(there.map(({ id, status }) => [id, `NATIVE_VM_STATUS_${status}`])))
      const running = there.filter(({ status }) => status === 'RUNNING')
      expect(runningIds(folder)).toEqual(running.map(({ id }) => id).toSorted())
      expect(readdirSync(folder).toSorted()).toEqual([...there.map(({ id }) => id), 'images'].toSorted())
      expect(await doctorFindings(place, machineAreas)).toEqual([])
    }

    const names = ['vm-1', 'vm-2', 'vm-3', 'vm-4', 'vm-5']
    const created = await killed(names.map(name => api.compute.createVm({ workspace, body: { ...qemuBody, name } })))
    let machines: readonly Known[] = created.map(({ resource_id }) => ({ id: resource_id, status: 'RUNNING' }))
    await proves(machines)
    const lap = laps > 1 ? rounds : rounds.slice(0, 2)
    for (const round of [...Array.from({ length: laps }, () => lap).flat(), deletion]) {
      const planned = machines.map((machine, i) => ({ machine, verb: verbs[round[i] ?? ''] }))
      const calls = planned.map(({ machine, verb }) => {
        if (!verb || (verb[0] !== 'ANY' && verb[0] !== machine.status))
          throw new Error(`${machine.status} does not allow the verb of the round`)
        return verb[2](api.compute, { workspace, id: machine.id })
      })
      await killed(calls)
      machines = planned.map(({ machine, verb }) => ({ id: machine.id, status: verb?.[1] ?? machine.status }))
      await proves(machines)
    }
    console.log(`${server.startsMs.length - 1} kills; ${toldRestarts(restartsOf(server.startsMs.slice(1)))}`)
  })
})
