import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { withFrequentWorker } from '../../areas/kill/frequent-worker.ts'
import { givenRootKey } from '../../areas/kill/given-root-key.ts'
import type { WalkedOptions } from '../../areas/kill/serve-walked.ts'

const rules = 'storage.lifecycle'

/** The areas that objects need; the vault wraps the keys that sign URLs. Lifecycle rules run ten times a second. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'storage', 'vault'].includes(domain.name))
  .map(area => (area.domain.name === 'storage' ? withFrequentWorker(area, rules) : area))

/**
 * Returns the options of a walked server: the root key of its data folder, the calls that change objects, and the worker
 * of lifecycle rules.
 */
export const walkedSettings = (): WalkedOptions => ({
  given: givenRootKey(),
  calls: [
    'putObject',
    'copyObject',
    'deleteObject',
    'createMultipartUpload',
    'completeMultipartUpload',
    'abortMultipartUpload',
    'createBucket',
  ],
  workers: [rules],
})
