import { writeSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import type { StorePlace } from '../../../../server/platform-store.ts'

/** The JSON argument of the program. */
export interface KilledSigning {
  /** The number of the point at which the process kills itself; 0: never. */
  readonly at: number
  readonly place: StorePlace
  readonly authority: string
  /** The time of the signature in milliseconds since 1970. */
  readonly now: number
}

/**
 * This program signs the revocation list of an authority, and kills itself at the `at`th point: two points stand before
 * and after each commit. If the signature has fewer points, the program prints their number.
 */

enableCompileCache()
const work: KilledSigning = JSON.parse(process.argv[2] ?? '')
const [{ openBeside }, { issuerCollections }, { listsOver }] = await Promise.all([
  import('../../../server/store/left-place.ts'),
  import('./issuer.ts'),
  import('./lists-over.ts'),
])
let points = 0

function point(): void {
  points += 1
  if (points === work.at) process.kill(process.pid, 'SIGKILL')
}

const store = await openBeside(work.place, issuerCollections)
const lists = await listsOver(store, work.now)
const begin = store.tx.bind(store)
store.tx = async fn => {
  const made = await begin(async tx => {
    const result = await fn(tx)
    point()
    return result
  })
  point()
  return made
}
await lists.renew(work.authority)
await store.close()
writeSync(1, `points ${points}\n`)
