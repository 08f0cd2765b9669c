import { bucketKind } from './buckets/bucket-kind.ts'
import { classKind } from './classes/class-kind.ts'
import type { Worker } from '../ports/workers.ts'
import type { StorageEnvironment } from './environment.ts'
import { contentCollection } from './contents/contents-store.ts'
import { instanceKind } from './instances/instance-kind.ts'
import { nativeWorker } from './native/native-worker.ts'
import { signingKeyCollection } from './presigned/signing-keys.ts'
import { metadataCollection, versionCollection } from './objects/versions-store.ts'

/** The parts of the area of storage that need no setting. */
export const storage = {
  kinds: [bucketKind, instanceKind, classKind],
  needs: { optional: ['iam', 'topology', 'vault'] },
  collections: [versionCollection, metadataCollection, contentCollection, signingKeyCollection],
} as const

/** The periodic work of the area. */
export const storageWorkers = (environment: StorageEnvironment): readonly Worker[] => [nativeWorker(environment, [])]
