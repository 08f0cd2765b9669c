import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** A server of virtual machines that kills itself where it is told to. */
const [{ serveWalked }, { walkedAreas, walkedSettings }, { testAccess }] = await Promise.all([
  import('../../areas/kill/serve-walked.ts'),
  import('./walked-areas.ts'),
  import('../../server/access/test-access.ts'),
])
await serveWalked('compute', walkedAreas, testAccess, walkedSettings)
// A process that is killed writes no cache at its end.
flushCompileCache()
