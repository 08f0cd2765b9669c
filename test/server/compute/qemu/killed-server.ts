import { enableCompileCache, flushCompileCache } from 'node:module'

enableCompileCache()

/** A server of virtual machines that a test kills. */
const [{ serveWalked }, { machineAreas }, { testAccess }] = await Promise.all([
  import('../../../areas/kill/serve-walked.ts'),
  import('./machine-areas.ts'),
  import('../../access/test-access.ts'),
])
await serveWalked('compute', machineAreas, testAccess)
// A process that is killed writes no cache at its end.
flushCompileCache()
