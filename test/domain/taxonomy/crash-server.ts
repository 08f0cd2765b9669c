import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

enableCompileCache()

/** A process that serves the taxonomy with the depot over a data folder on a free port, and says where. */
const [dataDir = ''] = process.argv.slice(2)

const [{ serve }, { taxonomyArea }, { followTimes }, { depotArea }] = await Promise.all([
  import('../../../server/serve.ts'),
  import('../../../server/areas.ts'),
  import('../../../domain/taxonomy/reconcile.ts'),
  import('./depot.ts'),
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
  { baseUrl: undefined, dataDir, http: { host: '127.0.0.1', port: 0, isPortOpen: false } },
  areas,
)
process.stdout.write(`listens on ${server.url}\n`)
