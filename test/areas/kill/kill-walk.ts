import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { AreaModule } from '../../../server/area.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { freePort } from '../../server/killed/processes.ts'
import { postgresUrl, testFolder } from '../../server/store/harness.ts'
import { openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { doctorFindings } from '../doctor.ts'
import { fetchAs } from './fetch-as.ts'
import { restartsOf, type Restarts } from './restarts.ts'
import type { WalkedLine } from './serve-walked.ts'
import { triedPoints } from './tried-points.ts'
import { startWalked, type WalkedProcess } from './walked-process.ts'

/**
 * The time limit of a call to a live server, and of the wait for the end of all work, in milliseconds. The restart of a
 * killed server does not count, because it takes as long as the load of the machine demands.
 */
const patienceMs = 60_000

/** A walk over all procedures of an area. */
export interface KillWalk {
  /** The path of a program that calls `serveWalked` with the same areas. */
  readonly program: string
  readonly areas: readonly AreaModule[]
  /** The name of the area whose procedures are walked. */
  readonly walked: string
  /**
   * The story of the walk: runs every procedure of the area to its end, with new resources in each round, and checks
   * the result. `call` takes paths without an address, retries until a server responds, and changes to the next server
   * at each retry. Calls that change resources must carry an Idempotency-Key.
   */
  readonly tell: (call: typeof fetch, round: number) => Promise<void>
  /** The names of procedures that the story leaves out. */
  readonly leftOut?: readonly string[]
  /** The addresses of the processes beside the servers, which the program receives. */
  readonly peers?: Readonly<Record<string, string>>
}

/** The result of a walk. */
export interface Walked {
  /** All points that the story reaches, in order. */
  readonly points: readonly string[]
  /** The points that the walk has tried. */
  readonly tried: readonly string[]
  /** The tried points at which no server was killed. */
  readonly missed: readonly string[]
  readonly restarts: Restarts
}

/** The ids of the acknowledged operations, keyed by the Idempotency-Key of the call. */
type Acknowledged = Map<string, string>

/**
 * Runs the story once without kills, and then once for each tried point with a kill at the point. The points lie before
 * and after the commit of the call that begins a procedure, at the start of each step, and before and after each commit
 * of the step. After each kill a server continues: on SQLite the same server after a restart, on PostgreSQL another
 * server. After each round all work and operations must have ended, each acknowledged operation must exist, each call
 * must have exactly one operation, and the doctor must have no findings. Rejects if a condition is violated, or if the
 * story leaves out a step of a procedure, a named call or a named worker. Returns the points and the times of the restarts.
 */
export async function killWalk(walk: KillWalk): Promise<Walked> {
  const stage = await Stage.set(walk)
  await stage.round('')
  const points = [...stage.passed]
  const { leftOut = [] } = walk
  const left = stage.declared.filter(
    step => !points.includes(`${step}: begin`) && !leftOut.some(name => step.startsWith(`${name}/`)),
  )
  if (left.length > 0) throw new Error(`the story does not run ${left.join(', ')}`)
  const tried = triedPoints(points)
  const missed: string[] = []
  for (const point of tried) {
    const isKilled = await stage.round(point).catch((error: unknown) => {
      throw new Error(`killed at "${point}"`, { cause: error })
    })
    if (!isKilled) missed.push(point)
  }
  return { points, tried, missed, restarts: restartsOf(stage.startsMs) }
}

/** The servers of a walk over one store. */
class Stage {
  readonly passed = new Set<string>()
  readonly declared: string[] = []
  readonly startsMs: number[] = []
  readonly #walk: KillWalk
  readonly #place: StorePlace
  readonly #flags = testFolder(onTestFinished)
  readonly #servers: { readonly port: number; process: WalkedProcess }[] = []
  #rounds = 0
  /** The number of restarts before the present round. */
  #revived = 0
  /** The ids of the acknowledged operations of all rounds. */
  readonly #kept = new Set<string>()

  private constructor(walk: KillWalk, place: StorePlace) {
    this.#walk = walk
    this.#place = place
  }

  static async set(walk: KillWalk): Promise<Stage> {
    const stage = new Stage(walk, await testStorePlace())
    const count = postgresUrl() === undefined ? 1 : 2
    for (let i = 0; i < count; i += 1) {
      const port = await freePort()
      stage.#servers.push({ port, process: await stage.#start(port) })
    }
    return stage
  }

  /** Runs the story once, with a kill at `point` unless `point` is empty; returns true if a server was killed. */
  async round(point: string): Promise<boolean> {
    const round = (this.#rounds += 1)
    const flagFile = join(this.#flags, `killed-${round}`)
    for (const { process } of this.#servers) await process.arm({ point, flagFile })
    const acknowledged: Acknowledged = new Map()
    const over = new AbortController()
    const reviving = this.#servers.length === 1 ? this.#revive(over.signal) : undefined
    try {
      const told = this.#walk.tell(this.#caller(acknowledged), round)
      // A failed restart ends the round with its own error; the story would only report a refused connection.
      await Promise.race([told, ...(reviving ? [reviving.then(() => told)] : [])])
      for (const id of acknowledged.values()) this.#kept.add(id)
      await this.#prove()
    } finally {
      over.abort()
      await reviving
    }
    const dead = this.#servers.filter(({ process }) => !process.isRunning())
    const isKilled = this.startsMs.length > this.#revived || dead.length > 0
    for (const server of dead) await this.#restart(server)
    this.#revived = this.startsMs.length
    return isKilled
  }

  async #start(port: number): Promise<WalkedProcess> {
    const hear = ({ declared, passed }: WalkedLine): void => {
      if (declared !== undefined && !this.declared.includes(declared)) this.declared.push(declared)
      if (passed !== undefined) this.passed.add(passed)
    }
    const { peers = {}, program } = this.#walk
    return startWalked(program, { place: this.#place, port, peers }, hear, onTestFinished)
  }

  async #restart(server: { readonly port: number; process: WalkedProcess }): Promise<void> {
    server.process = await this.#start(server.port)
    this.startsMs.push(server.process.startMs)
  }

  /** Restarts a server as soon as its process has ended, until `over` is aborted. */
  async #revive(over: AbortSignal): Promise<void> {
    const isOver = new Promise<true>(resolve => over.addEventListener('abort', () => resolve(true)))
    for (const server of this.#servers) {
      while ((await Promise.race([isOver, server.process.ended])) === undefined) await this.#restart(server)
    }
  }

  #caller(acknowledged: Acknowledged): typeof fetch {
    let at = this.#rounds
    return async (target, init) => {
      if (typeof target !== 'string') throw new Error('a story must pass its targets as text')
      let until = performance.now() + patienceMs
      for (;;) {
        const { port } = this.#servers[at % this.#servers.length] ?? {}
        try {
          const answer = await fetchAs(`http://127.0.0.1:${port}${target}`, init)
          const body = await answer.arrayBuffer()
          if (answer.status !== 503) {
            acknowledge(acknowledged, target, init, answer, new TextDecoder().decode(body))
            // An answer 204 must have no body, not even an empty one.
            return new Response(body.byteLength === 0 ? null : body, answer)
          }
        } catch (error) {
          init?.signal?.throwIfAborted()
          const isRestarted = this.#servers.every(({ process }) => !process.isRunning())
          if (isRestarted) until = performance.now() + patienceMs
          if (performance.now() > until) throw error
        }
        at += 1
        await sleep(20)
      }
    }
  }

  async #prove(): Promise<void> {
    const { areas } = this.#walk
    const store = await openBeside(this.#place, storeCollections(areas))
    try {
      await expect.poll(() => store.count(works), { timeout: patienceMs, interval: 50 }).toBe(0)
      const kept = new Set<string>()
      for (const { operations } of areas) {
        for await (const { id, value } of store.each(operations)) {
          // A caller is told of what the platform does by itself only where it ends what a dead call has begun.
          if (value.principal_id !== systemPrincipalId || this.#kept.has(id)) kept.add(id)
          if (!isEnded(value)) throw new Error(`operation ${id} is ${value.status}, and no work is left`)
        }
      }
      // Each acknowledged operation is there, and a retried call has exactly one operation.
      expect(kept).toEqual(this.#kept)
    } finally {
      await store.close()
    }
    expect(await doctorFindings(this.#place, areas)).toEqual([])
  }
}

/**
 * Records the id in a successful response, keyed by the Idempotency-Key of the call; throws if two responses to a key
 * have different ids. Ignores calls without a key, failed calls and responses without an id.
 */
function acknowledge(
  acknowledged: Acknowledged,
  target: string,
  init: RequestInit | undefined,
  answer: Response,
  text: string,
): void {
  const key = new Headers(init?.headers).get('idempotency-key')
  if (key === null || !answer.ok) return
  const { id }: { readonly id?: string } = JSON.parse(text)
  if (id === undefined) return
  const known = acknowledged.get(key)
  if (known !== undefined && known !== id) throw new Error(`${target} was done twice: ${known} and ${id}`)
  acknowledged.set(key, id)
}
