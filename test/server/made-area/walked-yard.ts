import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** A server of the tree and the yard that kills itself where it is told to. */
const [{ serveWalked }, { walkedAreas }, { testAccess }] = await Promise.all([
  import('../../areas/kill/serve-walked.ts'),
  import('./walked-areas.ts'),
  import('../access/test-access.ts'),
])
await serveWalked('yard', walkedAreas(), testAccess)
// A process that is killed writes no cache at its end.
flushCompileCache()
