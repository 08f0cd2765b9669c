import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { withFrequentWorker } from '../../areas/kill/frequent-worker.ts'
import { givenRootKey } from '../../areas/kill/given-root-key.ts'
import type { WalkedOptions } from '../../areas/kill/serve-walked.ts'

/** The worker that serves the blobs and collects garbage. */
const content = 'registry.native'

/** The areas that repositories, their content and the rules about them need; the vault wraps the key of tokens. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'registry', 'vault'].includes(domain.name))
  .map(area => (area.domain.name === 'registry' ? withFrequentWorker(area, content) : area))

/**
 * Returns the options of a walked server: the calls that change repositories, their content and the rules about them, and
 * the worker that collects garbage, without a grace.
 */
export const walkedSettings = (): WalkedOptions => ({
  // All servers of the store accept the tokens of each other, because they have one address.
  baseUrl: 'http://registry.test',
  given: givenRootKey().with(registrySettings['registry.gc_grace'], 0),
  calls: [
    'createRepository',
    'updateRepository',
    'deleteRepository',
    'createAccessPolicy',
    'updateAccessPolicy',
    'deleteAccessPolicy',
    'createRepositoryAccessPolicy',
    'updateRepositoryAccessPolicy',
    'deleteRepositoryAccessPolicy',
    'createPullGrant',
    'deletePullGrant',
    'createDeploymentLock',
    'updateDeploymentLock',
    'deleteDeploymentLock',
    'createQuotaLimit',
    'updateQuotaLimit',
    'createRetentionPolicy',
    'updateRetentionPolicy',
    'deleteRetentionPolicy',
    'deleteQuotaLimit',
    'createScanPolicy',
    'updateScanPolicy',
    'deleteScanPolicy',
    'scanArtifact',
    'deleteArtifact',
    'deleteTag',
    'startBlobUpload',
    'appendBlobUpload',
    'finishBlobUpload',
    'cancelBlobUpload',
    'deleteBlob',
    'readManifest',
    'pushManifest',
    'deleteManifest',
  ],
  workers: [content, 'registry.scans'],
})
