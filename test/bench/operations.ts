import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkOrder } from '../../runtime/ordering.ts'
import { claimWork, dueWork } from '../../server/operations/claim.ts'
import { endWork } from '../../server/operations/end-work.ts'
import { works } from '../../server/operations/work.ts'
import { operationFields } from '../server/sample-area.ts'
import type { WorkBench } from '../server/operations/work-bench.ts'
import { drained, withPending, workspaces } from './measuring/drain.ts'
import { instant } from './measuring/pending.ts'
import { median } from './measuring/rounds.ts'

/**
 * This program prints the rate at which one and two processes end pending operations, compared with a loop of the same
 * transactions only, and the costs of claims and lists with few and with many pending operations.
 */

const count = 2000
const claimed = 8
const rounds = 3

const folder = await mkdtemp(join(tmpdir(), 'ninefold-bench-'))
let files = 0

/** Returns the path of a new file for one measurement. */
const newFile = (): string => join(folder, `${(files += 1)}.sqlite`)

const claimNext = async ({ clock, queue, store }: WorkBench, many: number) => {
  const due = await dueWork(store, { kinds: queue.kinds, count: many, after: '', room: () => many, except: new Map() })
  const now = clock.now()
  const lease = { lease_owner: 'bench', lease_until: new Date(now + 60_000).toISOString(), now }
  return store.tx(tx => claimWork(tx, queue, due, lease))
}

/**
 * Returns the number of operations a second of a bare loop: one claim for several operations, and a transaction for the
 * end of each.
 */
async function bareLoop(bench: WorkBench): Promise<number> {
  const { clock, queue, store } = bench
  const declared = queue.find(instant.kind)
  if (declared === undefined) throw new Error(`${instant.kind} must be declared`)
  const began = performance.now()
  for (;;) {
    const claims = await claimNext(bench, 16)
    if (claims.length === 0) return (count * 1000) / (performance.now() - began)
    for (const { id } of claims) {
      await store.tx(async tx => {
        const work = await tx.lock(works, id)
        if (work) await endWork(tx, { queue, declared, work, now: clock.now() })
      })
    }
  }
}

async function microseconds(rounds: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < rounds; i += 1) {
    const began = performance.now()
    await run()
    times.push((performance.now() - began) * 1000)
  }
  return median(times)
}

const dueIn = ({ queue, store }: WorkBench): Promise<unknown> =>
  dueWork(store, { kinds: queue.kinds, count: claimed, after: '', room: () => claimed, except: new Map() })

function listed({ operations, store }: WorkBench): Promise<unknown> {
  const order = checkOrder(undefined, operationFields)
  return store.list(operations.collection, { size: 20, filter: undefined, order, after: undefined, now: 0 })
}

function drainedBy(processes: number, each: number): Promise<number> {
  const file = newFile()
  return withPending(file, each, bench => drained(bench, file, processes))
}

/**
 * Returns the median rate of each way in operations a second: the bare loop, one process and two processes. The ways
 * alternate, so that other work of the machine affects all of them.
 */
async function rates(): Promise<readonly number[]> {
  const found: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round += 1) {
    const each = count / workspaces
    found[0].push(await withPending(newFile(), each, bareLoop))
    found[1].push(await drainedBy(1, each))
    found[2].push(await drainedBy(2, each))
  }
  return found.map(median)
}

try {
  const names = ['the same transactions in a loop', 'one process', 'two processes']
  const [bare = Number.NaN, ...others] = await rates()
  console.log(`${count} operations of ${workspaces} workspaces, drained a second`)
  for (const [i, rate] of [bare, ...others].entries()) {
    console.log(
      `  ${names[i]?.padEnd(33)}${rate.toFixed(0).padStart(8)}${`${(rate / bare).toFixed(2)} x`.padStart(10)}`,
    )
  }
  console.log('\npending operations   finding 8 that are due   claiming 8   a list of 20   (us)')
  for (const many of [100, 10_000]) {
    const figures = await withPending(newFile(), many / workspaces, async bench => [
      await microseconds(200, () => dueIn(bench)),
      await microseconds(11, () => claimNext(bench, claimed)),
      await microseconds(200, () => listed(bench)),
    ])
    const [found = 0, taken = 0, list = 0] = figures.map(Math.round)
    console.log(
      `${String(many).padEnd(21)}${String(found).padStart(22)}${String(taken).padStart(13)}${String(list).padStart(15)}`,
    )
  }
} finally {
  await rm(folder, { recursive: true })
}
