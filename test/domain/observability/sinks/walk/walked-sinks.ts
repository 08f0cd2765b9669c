import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** The program of a server that kills itself at a given point of the kill walk. */
const [{ serveWalked }, { walkedAreas, walkedSettings }, { testAccess }] = await Promise.all([
  import('../../../../areas/kill/serve-walked.ts'),
  import('./walked-areas.ts'),
  import('../../../../server/access/test-access.ts'),
])
await serveWalked('observability', walkedAreas, testAccess, walkedSettings())
// A killed process writes no compile cache, so the cache is written now.
flushCompileCache()
