import { storage, storageForms, storageHandlers, storageProcedures, storageWorkers } from '../../domain/storage/area.ts'
import { bootstrap } from '../../domain/storage/bootstrap.ts'
import type { ContentFault } from '../../domain/storage/contents/content-files.ts'
import type { StorageEnvironment } from '../../domain/storage/environment.ts'
import { storageFunctions } from '../../domain/storage/functions/storage-functions.ts'
import { storageHooks } from '../../domain/storage/hooks.ts'
import { degrader } from '../../domain/storage/instances/check-instances.ts'
import { RemovedCounts } from '../../domain/storage/lifecycle/removed-counts.ts'
import { NativeLease } from '../../domain/resources/native-lease.ts'
import { SharedCommits } from '../../domain/resources/shared-commits.ts'
import { Traffic } from '../../domain/storage/statistics/traffic.ts'
import { storageArea as generated, type StorageArea } from '../../output/storage/area.ts'
import type { StorageHandlers } from '../../output/storage/handlers.ts'
import { objectPlane } from '../../domain/storage/plane/object-plane.ts'
import { SigningKeys } from '../../domain/storage/presigned/signing-keys.ts'
import { ClassStores } from '../../domain/storage/remote-store/class-stores.ts'
import type { OpenRemoteStore } from '../../domain/storage/remote-store/remote-store.ts'
import { area, type AreaModule } from '../area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { oncePer } from '../once-per.ts'
import { contentFiles } from './content-checks.ts'
import { ContentFolders } from './files/content-folders.ts'
import { hostCalls, type FileCalls } from './files/file-calls.ts'
import { lifecycleMetrics } from './lifecycle-metrics.ts'
import { openRemoteStore } from './open-remote-store.ts'
import { InstanceRoots } from './instances/instance-roots.ts'
import { storageSettings } from './settings.ts'

type StorageParts = AreaEnvironment<
  StorageArea,
  never,
  'iam' | 'observability' | 'topology' | 'vault',
  typeof storageSettings
>

/**
 * Returns the area of storage classes, buckets, objects and uploads. `calls` replaces the calls on content files, and
 * `openStore` the function that opens S3 stores.
 */
export function storageArea(calls: FileCalls = hostCalls, openStore: OpenRemoteStore = openRemoteStore): AreaModule {
  const environmentOf = oncePer((parts: StorageParts) => mountedStorage(parts, calls, openStore))
  return area<
    StorageArea,
    StorageHandlers,
    never,
    'iam' | 'observability' | 'topology' | 'vault',
    typeof storageSettings
  >({
    generated,
    ...storage,
    handlers: parts => storageHandlers(environmentOf(parts)),
    settings: storageSettings,
    addedEngines: ({ settings }) => settings['storage.engines'].map(({ name }) => name),
    host: ({ hasStore }, settings) => contentFiles(settings['storage.roots'], hasStore),
    isSecret: ['createPartUrls', 'createPresignedDownloadUrl', 'createPresignedUploadUrl'],
    hooks: parts => storageHooks(environmentOf(parts)),
    forms: () => storageForms,
    procedures: parts => storageProcedures(environmentOf(parts)),
    workers: parts => storageWorkers(environmentOf(parts)),
    provides: parts => ({ storage: storageFunctions(environmentOf(parts)) }),
    planes: parts => [objectPlane(generated.domain, environmentOf(parts))],
    async open(parts) {
      const environment = environmentOf(parts)
      await bootstrap(environment)
      return { notices: [], degradation: () => undefined, close: () => environment.stores.close() }
    },
  })
}

function mountedStorage(parts: StorageParts, calls: FileCalls, open: OpenRemoteStore): StorageEnvironment {
  const { baseUrl, clock, functions, log, settings, store } = parts
  const folders = new InstanceRoots(settings['storage.roots'], log)
  const removed = new RemovedCounts()
  parts.expose(lifecycleMetrics(removed))
  const dataBaseUrl = settings['storage.data_base_url']?.replace(/\/+$/, '')
  const failed = (err: unknown, subject: string) =>
    log.warn({ err, subject }, 'work of storage failed; it is tried again')
  const degrade = degrader({ clock, failed, store })
  const report = (err: ContentFault) => {
    const { instance, kind } = err
    log.warn({ err, instance, kind }, 'the content files of a storage class instance failed')
    if (kind === 'failed') degrade(instance)
  }
  return {
    ...parts,
    dataBaseUrl: () => dataBaseUrl ?? baseUrl(),
    folders,
    files: new ContentFolders(instance => folders.folderOf(instance), { calls, report }),
    report,
    keys: new SigningKeys({ store, vault: () => functions.vault }),
    signatures: new SharedCommits(store),
    lease: new NativeLease(),
    stores: new ClassStores({ clock, open, vault: () => functions.vault }),
    remoteLimits: {
      maxExpiresMs: settings['storage.s3_max_expires'],
      inventoryMs: settings['storage.s3_inventory'],
    },
    removed,
    traffic: new Traffic(() => clock.now()),
    failed,
  }
}
