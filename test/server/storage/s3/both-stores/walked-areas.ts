import type { AreaModule } from '../../../../../server/area.ts'
import { areas } from '../../../../../server/areas.ts'
import { withFrequentWorker } from '../../../../areas/kill/frequent-worker.ts'
import { givenRootKey } from '../../../../areas/kill/given-root-key.ts'
import type { WalkedOptions } from '../../../../areas/kill/serve-walked.ts'

/** The worker that brings rows and S3 stores together. */
const converging = 'storage.s3'

/** The areas that buckets on S3 stores need. The worker of the stores runs ten times a second. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'storage', 'vault'].includes(domain.name))
  .map(area => (area.domain.name === 'storage' ? withFrequentWorker(area, converging) : area))

/** Returns the options of a walked server: its root key, and the calls and the worker that change S3 stores. */
export const walkedSettings = (): WalkedOptions => ({
  given: givenRootKey(),
  calls: [
    'createStorageClass',
    'createBucket',
    'updateBucket',
    'copyObject',
    'deleteObject',
    'createMultipartUpload',
    'completeMultipartUpload',
    'abortMultipartUpload',
  ],
  workers: [converging],
})
