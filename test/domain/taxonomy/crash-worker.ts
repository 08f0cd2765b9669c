import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import type { Store, Transaction } from '../../../domain/ports/store.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import type { Cast } from './crash-story.ts'

enableCompileCache()

/**
 * This program runs the story over a store and kills itself at the n-th point. The points lie before and after the
 * commit of each transaction, and before and after each call of a hook. If the story ends before, the program prints
 * `finished` with the number of points.
 */

const [placeText = '', castText = '', last = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)
const cast: Cast = JSON.parse(castText)

let isArmed = false
let seen = 0

function point(): void {
  if (!isArmed) return
  seen += 1
  if (seen === Number(last)) process.kill(process.pid, 'SIGKILL')
}

function watchTransactions(stores: Store): void {
  const { tx } = stores
  stores.tx = async function <R>(this: Store, fn: (inner: Transaction) => Promise<R>): Promise<R> {
    const result = await tx.call<Store, [typeof fn], Promise<R>>(this, async inner => {
      const made = await fn(inner)
      point()
      return made
    })
    point()
    return result
  }
}

watchTransactions((await import('../../../server/store/sqlite.ts')).SqliteStore.prototype)
watchTransactions((await import('../../../server/store/postgres.ts')).PostgresStore.prototype)

let failures = 0
let questions = 0

async function follow(workspace: string): Promise<boolean> {
  point()
  if (workspace === cast.failing && (failures += 1) <= 3) throw new Error('not yet')
  if (workspace === cast.slow && (questions += 1) <= 1) return false
  await sleep(1)
  point()
  return true
}

let purges = 0

async function purge(): Promise<void> {
  point()
  if ((purges += 1) === 1) throw new Error('not yet')
  await sleep(1)
  point()
}

const times: FollowTimes = { askMs: 2, retryMs: [1, 1], restMs: 20 }

const { depotPlatform, readStore } = await import('./depot-platform.ts')
const { quiet, tell } = await import('./crash-story.ts')
const platform = await depotPlatform(place, { reconcile: follow, purge }, times)
const store = await readStore(place)
isArmed = true
await tell(platform.client, cast, () => quiet(store))
isArmed = false
process.stdout.write(`finished after ${seen} points\n`)
await store.close()
await platform.close()
