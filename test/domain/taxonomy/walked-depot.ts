import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** A server of the taxonomy and the depot that kills itself where it is told to. */
const [{ serveWalked }, { testAreas }, { testAccess }] = await Promise.all([
  import('../../areas/kill/serve-walked.ts'),
  import('./areas.ts'),
  import('../../server/access/test-access.ts'),
])
await serveWalked('taxonomy', testAreas(), testAccess)
// A process that is killed writes no cache at its end.
flushCompileCache()
