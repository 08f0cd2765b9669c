import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import { PullCounts } from '../../domain/registry/artifacts/pull-counts.ts'
import type { ContentParts } from '../../domain/registry/content-parts.ts'
import type { RegistryEnvironment } from '../../domain/registry/environment.ts'
import { RegistryTokens } from '../../domain/registry/tokens/registry-tokens.ts'
import { TokenKeys } from '../../domain/registry/tokens/token-keys.ts'
import { NativeLease } from '../../domain/resources/native-lease.ts'
import type { SettingValues } from '../settings/declarations.ts'
import type { Log } from '../log.ts'
import { BlobBucket } from './blob-bucket.ts'
import { BlobFolder } from './blob-folder.ts'
import { blobFolder, bucketIn, type registrySettings } from './settings.ts'

/** The parts from which those of the content are made. */
type Sources = Pick<RegistryEnvironment, 'clock' | 'failed' | 'functions' | 'host' | 'store'> & {
  readonly baseUrl: () => string
  readonly dataDir: string
  readonly log: Log
  readonly settings: SettingValues<typeof registrySettings>
}

/** Returns the parts of the content of repositories. */
export function registryContent(sources: Sources): ContentParts {
  const { baseUrl, clock, dataDir, failed, functions, host, log, settings, store } = sources
  const report = (err: Error, kind: string) => log.warn({ err, kind }, 'the blob store of the registry failed')
  const keys = new TokenKeys({ store, clock, vault: () => functions.vault })
  const { 'registry.blob_store': blobStore } = settings
  const bucket = bucketIn(blobStore)
  return {
    blobs:
      bucket === undefined
        ? new BlobFolder({ folder: blobFolder(blobStore, dataDir), report: fault => report(fault, fault.kind) })
        : new BlobBucket({
            storage: () => functions.storage,
            place: { workspace: platformWorkspaceId, bucket },
            report: error => report(error, error.reason),
          }),
    // Storage decides which server has the content of a bucket.
    isOfOneHost: bucket === undefined,
    lease: new NativeLease(),
    tokens: new RegistryTokens(keys, { issuer: baseUrl, service: host }),
    pulls: new PullCounts({ store, failed }),
    collectionGraceMs: settings['registry.gc_grace'],
  }
}
