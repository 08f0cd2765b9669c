import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { shelves } from './depot.ts'
import { depotPlatform, growForest, readStore, type Forest } from './depot-platform.ts'
import { Nodes, type Node } from './nodes-by-kind.ts'
import { faultsOf } from './settled-tree.ts'
import { testToken } from '../../server/access/test-access.ts'

const program = fileURLToPath(new URL('./crash-server.ts', import.meta.url))

/**
 * The number of kills, 4 by default. For a hundred kills: `NINEFOLD_CRASH_ROUNDS=100 npx vitest run
 * test/domain/taxonomy/cascade-kill.test.ts`
 */
const rounds = Number(process.env['NINEFOLD_CRASH_ROUNDS'] ?? 4)

const workspaceCount = 300

/** The maximal delay of a kill in milliseconds: about the duration of a cascade over the workspaces. */
const longestMs = 700

interface Server {
  readonly client: TaxonomyClient
  /** The time from the start of the process to its first response, in milliseconds. */
  readonly startMs: number
  kill(): Promise<void>
}

async function start(place: StorePlace): Promise<Server> {
  const began = performance.now()
  const child = spawn(process.execPath, [program, JSON.stringify(place)], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const baseUrl = /http:\S+/.exec(String(line))?.[0] ?? ''
  const token = testToken
  const client = new TaxonomyClient(createTransport({ baseUrl, token }))
  await client.listQuotas({ page_size: 1 })
  return {
    client,
    startMs: performance.now() - began,
    async kill() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/**
 * An organisation with its chain of groups, the suspended levels of the chain, and the number of state changes of each
 * workspace.
 */
class Chain {
  readonly #levels: readonly Node[]
  readonly #suspended = new Set<number>()
  readonly #workspaces: readonly { readonly id: string; readonly level: number }[]
  readonly changes = new Map<string, number>()

  constructor({ groups, organisation, workspaces }: Forest) {
    const root: Node = { kind: 'organisation', organisation, id: organisation }
    this.#levels = [root, ...groups.map((id): Node => ({ kind: 'group', organisation, id }))]
    this.#workspaces = workspaces.map((id, i) => ({ id, level: 1 + (i % groups.length) }))
    for (const id of workspaces) this.changes.set(id, 0)
  }

  /**
   * Suspends a level that lies above all suspended levels, or resumes the topmost suspended level; returns the
   * operation.
   */
  async step(nodes: Nodes) {
    const top = Math.min(this.#levels.length, ...this.#suspended)
    const level = Math.floor(Math.random() * (top + 1))
    const node = this.#levels[Math.min(level, this.#levels.length - 1)]
    if (node === undefined) throw new Error('the chain has no level')
    const isResume = this.#suspended.has(this.#levels.indexOf(node))
    const before = this.#suspendedNow()
    if (isResume) this.#suspended.delete(this.#levels.indexOf(node))
    else this.#suspended.add(this.#levels.indexOf(node))
    const after = this.#suspendedNow()
    for (const [id, count] of this.changes) {
      if (before.has(id) !== after.has(id)) this.changes.set(id, count + 1)
    }
    return nodes.change(isResume ? 'resume' : 'suspend', node)
  }

  #suspendedNow(): ReadonlySet<string> {
    const top = Math.min(this.#levels.length, ...this.#suspended)
    return new Set(this.#workspaces.filter(({ level }) => level >= top).map(({ id }) => id))
  }
}

async function check(place: StorePlace, chain: Chain): Promise<void> {
  const store = await readStore(place)
  try {
    expect(await faultsOf(store)).toEqual([])
    const changes = new Map<string, number>()
    for await (const { id, value } of store.each(shelves)) changes.set(id, value.changes)
    expect(changes).toEqual(new Map([...chain.changes].toSorted(([a], [b]) => (a < b ? -1 : 1))))
  } finally {
    await store.close()
  }
}

it(
  `a server that is killed at random moments of cascades over ${workspaceCount} workspaces completes all of them, and repeats none`,
  { timeout: 60_000 + rounds * 30_000 },
  async () => {
    const place = await testStorePlace()
    const platform = await depotPlatform(place)
    const chain = new Chain(await growForest(platform.client, 'acme', workspaceCount))
    await platform.close()

    let server = await start(place)
    const starts: number[] = []
    let interrupted = 0
    for (let round = 1; round <= rounds; round += 1) {
      const { id } = await chain.step(new Nodes(server.client))
      const afterMs = Math.random() * longestMs
      await sleep(afterMs)
      await server.kill()
      server = await start(place)
      starts.push(server.startMs)
      if (!isEnded(await server.client.getOperation({ id }))) interrupted += 1
      const operation = await server.client.waitOperation(id)
      expect(operation).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', warnings: [], errors: [] })
      await check(place, chain).catch((error: unknown) => {
        throw new Error(`round ${round}, killed after ${afterMs} ms`, { cause: error })
      })
    }
    await server.kill()
    const sorted = starts.toSorted((a, b) => a - b)
    const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    const took = `median ${Math.round(median)} ms, slowest ${Math.round(slowest)} ms`
    console.log(`${rounds} kills, ${interrupted} of them within a cascade; restart until the first answer: ${took}`)
  },
)
