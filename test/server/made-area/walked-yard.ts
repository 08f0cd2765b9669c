import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** This program serves the taxonomy and the yard, and kills itself at the point that its input names. */

const [{ serveWalked }, { walkedAreas }, { testAccess }] = await Promise.all([
  import('../../areas/kill/serve-walked.ts'),
  import('./walked-areas.ts'),
  import('../access/test-access.ts'),
])
await serveWalked('yard', walkedAreas(), testAccess)
// A killed process cannot write the compile cache at its end.
flushCompileCache()
