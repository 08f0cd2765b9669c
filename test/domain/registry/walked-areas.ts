import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { registryArea } from '../../../server/registry/area.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { withFrequentWorkers } from '../../areas/kill/frequent-worker.ts'
import { givenRootKey } from '../../areas/kill/given-root-key.ts'
import { walkedServer, type WalkedOptions } from '../../areas/kill/serve-walked.ts'
import { withSchedulesAhead } from './schedules-ahead.ts'
import { walkedAdvisories } from './walked-advisories.ts'
import { peerSettings } from './walked-peers.ts'

/** The registry with the advisories of a folder, at which it looks often. */
const walkedRegistry = withFrequentWorkers(withSchedulesAhead(registryArea({ advisories: walkedAdvisories() })))

/** The areas that repositories, their content and the rules about them need; the vault wraps the key of tokens. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'registry', 'vault'].includes(domain.name))
  .map(area => (area.domain.name === 'registry' ? walkedRegistry : area))

/** The calls of both interfaces that commit something. */
export const walkedCalls: readonly string[] = [
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
  'deleteQuotaLimit',
  'createRetentionPolicy',
  'updateRetentionPolicy',
  'deleteRetentionPolicy',
  'createScanPolicy',
  'updateScanPolicy',
  'deleteScanPolicy',
  'scanArtifact',
  'getCredentials',
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
]

/**
 * Returns the options of a walked server: the calls and the workers that change repositories, their content and the rules
 * about them, without a grace for garbage, and with a scanner and a cluster beside the servers.
 */
export const walkedSettings = (): WalkedOptions => {
  const { engine, scanner } = peerSettings(walkedServer())
  return {
    // All servers of the store accept the tokens of each other, because they have one address.
    baseUrl: 'http://registry.test',
    given: givenRootKey()
      .with(registrySettings['registry.gc_grace'], 0)
      .with(registrySettings['registry.engines'], [engine])
      .with(registrySettings['registry.scanners'], [scanner]),
    calls: walkedCalls,
    workers: 'all',
  }
}
