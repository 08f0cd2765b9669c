import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/** A process that serves the taxonomy with the depot over the store whose place it is given as JSON, on a free port, and says where. */
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

/** Every fourth workspace or so takes longer. */
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
