import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** This program serves the taxonomy and the depot, and kills itself at the point that its input names. */

const [{ serveWalked }, { testAreas }, { testAccess }] = await Promise.all([
  import('../../areas/kill/serve-walked.ts'),
  import('./areas.ts'),
  import('../../server/access/test-access.ts'),
])
await serveWalked('taxonomy', testAreas(), testAccess)
// A killed process cannot write the compile cache at its end.
flushCompileCache()
