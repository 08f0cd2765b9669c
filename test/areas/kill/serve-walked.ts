import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Procedure, Step, StepOutcome } from '../../../domain/ports/procedures.ts'
import type { Store, Transaction } from '../../../domain/ports/store.ts'
import type { OpenAccess } from '../../../server/access/platform-access.ts'
import type { Worker } from '../../../domain/ports/workers.ts'
import type { BoundRoute } from '../../../runtime/route.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { PlatformServices } from '../../../server/area-parts.ts'
import type { WorkQueue } from '../../../server/operations/work-queue.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import type { Config } from '../../../server/config.ts'
import { serve } from '../../../server/serve.ts'
import { toldCollections, writtenOf } from './written-collections.ts'

/** The JSON argument of a walked server. */
export interface WalkedServer {
  readonly place: StorePlace
  readonly port: number
  /** The addresses of the processes beside the servers, keyed by their names. */
  readonly peers?: Readonly<Record<string, string>>
}

/**
 * The point at which a server kills itself. If several servers reach the point, only the server that creates the flag
 * file kills itself.
 */
export interface Arming {
  /** The name of the point; empty for no point. */
  readonly point: string
  readonly flagFile: string
}

/** A line of the output of a walked server, as JSON. */
export interface WalkedLine {
  /** A step that an area declares, for example `yard.pack/tape`, or a named call or worker. */
  readonly declared?: string
  /** A point that the server has reached for the first time. */
  readonly passed?: string
  readonly armed?: string
  readonly listens?: string
}

/** The settings of the areas, and the calls and workers that have points besides the procedures. */
export interface WalkedOptions extends Pick<Partial<Config>, 'baseUrl' | 'given'> {
  /** The operation ids of the calls of the walked area and of its data planes. */
  readonly calls?: readonly string[]
  /** The names of periodic workers of the walked area, or all of them. */
  readonly workers?: readonly string[] | 'all'
  /** Whether a later commit to the same collections, in the same run of a worker, has points of its own. */
  readonly tellsRepeats?: boolean
}

/** Returns the argument of this process. */
export function walkedServer(): WalkedServer {
  const [text = ''] = process.argv.slice(2)
  const server: WalkedServer = JSON.parse(text)
  return server
}

/** Returns the address of a process beside a walked server. Throws if the server has no such peer. */
export function peerOf({ peers }: WalkedServer, name: string): string {
  const address = peers?.[name]
  if (address === undefined) throw new Error(`the walked server has no peer ${name}`)
  return address
}

interface RunningStep {
  readonly name: string
  /**
   * Whether the points of a commit are named by the collections that the commit writes instead of by a number: a run of a
   * worker has other commits each time.
   */
  readonly isWorker?: boolean
  commits: number
  /** The collections of the commits so far, if a commit to the same collections has points of its own. */
  readonly told?: Set<string>
}

const running = new AsyncLocalStorage<RunningStep>()
const passed = new Set<string>()
let armed: Arming = { point: '', flagFile: '' }
let areRepeatsTold = false

// A write to a pipe is synchronous, so the parent receives the line even if the process is killed next.
const tell = (line: WalkedLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

function point(name: string): void {
  if (!passed.has(name)) tell({ passed: name })
  passed.add(name)
  if (name !== armed.point || !isFirst(armed.flagFile)) return
  process.kill(process.pid, 'SIGKILL')
}

function isFirst(flagFile: string): boolean {
  try {
    closeSync(openSync(flagFile, 'wx'))
    return true
  } catch {
    return false
  }
}

/**
 * Serves areas in this process. The process kills itself at the point that its standard input names. The points lie
 * before and after the commit of the call that begins a procedure, at the start of each step, before and after each
 * commit within the step, and before and after the commit that records the end of the step. The named calls and workers
 * have points at their begin and their end, and before and after each commit; those of a worker are named by the
 * collections that the commit writes. Only the area `walked` has points.
 */
export async function serveWalked(
  walked: string,
  areas: readonly AreaModule[],
  openAccess: OpenAccess,
  { calls = [], tellsRepeats = false, workers = [], ...settings }: WalkedOptions = {},
): Promise<void> {
  const { place, port } = walkedServer()
  createInterface(process.stdin).on('line', line => {
    armed = JSON.parse(line)
    tell({ armed: armed.point })
  })
  process.stdin.on('end', () => process.exit(1))
  const named = new Set([...calls, ...(workers === 'all' ? [] : workers)])
  for (const name of named) tell({ declared: name })
  const isWatched = ({ name }: Worker): boolean => workers === 'all' || named.has(name)
  areRepeatsTold = tellsRepeats
  const watched = areas.map(area => (area.domain.name === walked ? watchedArea(area, named, isWatched) : area))
  const http = { host: '127.0.0.1', port, isPortOpen: false }
  const { url } = await serve({ baseUrl: undefined, ...settings, ...place, http }, watched, openAccess)
  tell({ listens: url })
}

const watchedArea = (
  area: AreaModule,
  named: ReadonlySet<string>,
  isWatched: (worker: Worker) => boolean,
): AreaModule => ({
  ...area,
  mount(parts: PlatformServices) {
    watchStore(parts.store)
    watchOrders(parts.queue, area.domain.name)
    const declare = parts.queue.declare.bind(parts.queue)
    parts.queue.declare = (records, procedures) => declare(records, procedures.map(watchedProcedure))
    try {
      const mounted = area.mount(parts)
      watchPlanes(parts, area.domain.name, named)
      return {
        ...mounted,
        routes: mounted.routes.map(bound => watchedRoute(bound, named)),
        workers: mounted.workers.map(worker => (isWatched(worker) ? watchedWorker(worker) : worker)),
      }
    } finally {
      parts.queue.declare = declare
    }
  },
})

/** Replaces `store.tx` so that each transaction of a running step has a point before and a point after its commit. */
function watchStore(store: Store): void {
  const begin = store.tx.bind(store)
  store.tx = async function <R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
    const step = running.getStore()
    if (step === undefined) return begin(fn)
    const number = (step.commits += 1)
    let commit: string | undefined
    const reach = (where: 'before' | 'after'): void => {
      if (commit !== undefined) point(`${step.name}: commit ${commit} ${where}`)
    }
    const result = await begin(async tx => {
      const written = step.isWorker === true ? writtenOf(tx) : undefined
      const made = await fn(tx)
      commit = written === undefined ? String(number) : toldCollections(written, step.told)
      reach('before')
      return made
    })
    reach('after')
    return result
  }
}

/** Gives the named calls of the data planes of an area their points. */
function watchPlanes({ planes }: PlatformServices, area: string, named: ReadonlySet<string>): void {
  for (const [at, plane] of planes.entries())
    if (plane.domain.name === area)
      planes[at] = { ...plane, routes: plane.routes.map(bound => watchedRoute(bound, named)) }
}

function watchedRoute(bound: BoundRoute, named: ReadonlySet<string>): BoundRoute {
  const { operationId } = bound.route
  return named.has(operationId)
    ? { ...bound, run: (...call) => watchedRun({ name: operationId }, () => bound.run(...call)) }
    : bound
}

function watchedWorker(worker: Worker): Worker {
  const { name } = worker
  tell({ declared: name })
  return { ...worker, run: turn => watchedRun({ name, isWorker: true }, () => worker.run(turn)) }
}

/** Runs a call or a turn of a worker between two points; its transactions have points of their own. */
async function watchedRun<R>(step: Omit<RunningStep, 'commits' | 'told'>, run: () => Promise<R>): Promise<R> {
  point(`${step.name}: begin`)
  const made = await running.run({ ...step, commits: 0, ...(areRepeatsTold && { told: new Set() }) }, run)
  point(`${step.name}: end`)
  return made
}

function watchOrders(queue: WorkQueue, area: string): void {
  const add = queue.add.bind(queue)
  queue.add = async (...order) => {
    await add(...order)
    const [tx, , { kind }] = order
    if (kind.startsWith(`${area}.`)) atCommit(tx, `${kind}: order`)
  }
}

function watchedProcedure(procedure: Procedure<unknown>): Procedure<unknown> {
  const { kind, steps } = procedure
  const failed = procedure.failed?.bind(procedure)
  return {
    ...procedure,
    steps: steps.map(step => watchedStep(kind, step)),
    ...(failed && {
      async failed(tx, ...ended) {
        await failed(tx, ...ended)
        atCommit(tx, `${kind}: failure`)
      },
    }),
  }
}

function watchedStep(kind: string, step: Step<unknown>): Step<unknown> {
  const name = `${kind}/${step.name}`
  tell({ declared: name })
  return {
    name: step.name,
    async run(context) {
      point(`${name}: begin`)
      return watchedEnd(name, await running.run({ name, commits: 0 }, () => step.run(context)))
    },
  }
}

function watchedEnd(name: string, outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== 'done') return outcome
  return {
    kind: 'done',
    async finish(tx) {
      await outcome.finish?.(tx)
      atCommit(tx, `${name}: end`)
    },
  }
}

/** Reaches the point `<name> before` within the transaction, and the point `<name> after` after the commit. */
function atCommit(tx: Transaction, name: string): void {
  point(`${name} before`)
  tx.afterCommit(() => point(`${name} after`))
}
