import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/**
 * This program serves the taxonomy with the depot on a free port, and prints its URL. Its argument is the place of the
 * store as JSON.
 */

const [placeText = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)

const [{ serve }, { taxonomyArea }, { followTimes }, { depotArea }, { testAccess }] = await Promise.all([
  import('../../../server/serve.ts'),
  import('../../../server/areas.ts'),
  import('../../../domain/taxonomy/cascade/reconcile.ts'),
  import('./depot.ts'),
  import('../../server/access/test-access.ts'),
])

const asked = new Set<string>()

/**
 * Returns false at the first of two calls with the same state of a workspace whose id ends in 0 to 3, so that a quarter
 * of the workspaces take longer; otherwise true.
 */
async function reconcile(workspace: string, state: string): Promise<boolean> {
  await sleep(1)
  const question = `${workspace} ${state}`
  if (asked.delete(question) || !/[0-3]$/.test(workspace)) return true
  asked.add(question)
  return false
}

const areas = [taxonomyArea({ ...followTimes, askMs: 20 }), depotArea({ reconcile })]
const server = await serve(
  { baseUrl: undefined, ...place, http: { host: '127.0.0.1', port: 0, isPortOpen: false } },
  areas,
  testAccess,
)
process.stdout.write(`listens on ${server.url}\n`)
