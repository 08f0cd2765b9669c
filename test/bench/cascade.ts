import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isEnded } from '../../runtime/operations.ts'
import { SqliteStore } from '../../server/store/sqlite.ts'
import { depotPlatform, growForest } from '../domain/taxonomy/depot-platform.ts'

/**
 * This program prints the time that areas take to apply a change of state, for organisations of some sizes, and the
 * share of commits in this time.
 */

const sizes = [300, 3000]

let commits = 0
const { tx } = SqliteStore.prototype
SqliteStore.prototype.tx = function <R>(this: SqliteStore, fn: Parameters<typeof tx<R>>[0]): Promise<R> {
  commits += 1
  return tx.call<SqliteStore, Parameters<typeof tx<R>>, Promise<R>>(this, fn)
}

const folder = await mkdtemp(join(tmpdir(), 'ninefold-bench-'))
const { client, close } = await depotPlatform({ dataDir: folder })

/** Makes a call; returns the milliseconds and the number of commits until its operation has ended. */
async function measure(call: () => Promise<{ readonly id: string }>): Promise<readonly [ms: number, commits: number]> {
  const [began, before] = [performance.now(), commits]
  const { id } = await call()
  while (!isEnded(await client.getOperation({ id }))) await sleep(5)
  return [performance.now() - began, commits - before]
}

/** Returns the mean time of a small change in milliseconds, for comparison with the other figures. */
async function commitMs(): Promise<number> {
  const count = 300
  const began = performance.now()
  for (let i = 0; i < count; i += 1) {
    await client.updateQuota({ id: 'compute.vms', body: { default_limit: 100 + (i % 2) } })
  }
  return (performance.now() - began) / count
}

try {
  console.log('workspaces  verb      ms    ms each  commits each')
  for (const size of sizes) {
    const { organisation: id } = await growForest(client, `of-${size}`, size)
    for (const verb of ['suspend', 'resume'] as const) {
      const [ms, count] = await measure(() => client[`${verb}Organisation`]({ id, body: {} }))
      const cells = [
        `${size}`.padEnd(10),
        verb.padEnd(7),
        ms.toFixed(0).padStart(6),
        (ms / size).toFixed(2).padStart(8),
      ]
      console.log([...cells, (count / size).toFixed(2).padStart(12)].join('  '))
    }
  }
  console.log(`a call that changes one row: ${(await commitMs()).toFixed(2)} ms`)
} finally {
  await close()
  await rm(folder, { recursive: true })
}
