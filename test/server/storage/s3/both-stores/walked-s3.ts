import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** The program of a server over an S3 store that kills itself at a given point of the kill walk. */
const [{ serveWalked }, { walkedAreas, walkedSettings }, { testAccess }] = await Promise.all([
  import('../../../../areas/kill/serve-walked.ts'),
  import('./walked-areas.ts'),
  import('../../../access/test-access.ts'),
])
await serveWalked('storage', walkedAreas, testAccess, walkedSettings())
// A killed process writes no compile cache, so the cache is written now.
flushCompileCache()
