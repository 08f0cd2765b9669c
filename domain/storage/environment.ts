import type { StorageArea } from '../../output/storage/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Processes } from '../ports/processes.ts'
import type { ContentFault, ContentFiles } from './contents/content-files.ts'
import type { InstanceFolders } from './instances/instance-folders.ts'
import type { RemovedCounts } from './lifecycle/removed-counts.ts'
import type { NativeLease } from '../resources/native-lease.ts'
import type { SharedCommits } from '../resources/shared-commits.ts'
import type { Traffic } from './statistics/traffic.ts'
import type { SigningKeys } from './presigned/signing-keys.ts'
import type { ClassStores } from './remote-store/class-stores.ts'

/** The parts that the code of the area uses. */
export interface StorageEnvironment extends Parts<StorageArea, never, 'iam' | 'observability' | 'topology' | 'vault'> {
  /** Returns the URL of the data plane without a slash at its end: the prefix of `/storage-data/v1/...` in signed URLs. */
  readonly dataBaseUrl: () => string
  /** The files with the content of objects on this host. */
  readonly files: ContentFiles
  /** The keys that sign URLs. */
  readonly keys: SigningKeys
  /** Commits the records of signed URLs. */
  readonly signatures: SharedCommits
  /** The folders of the instances on this host. */
  readonly folders: InstanceFolders
  /** Whether this server serves the content of the native engine. */
  readonly lease: NativeLease
  /** The servers, whose calls change the S3 stores. */
  readonly processes: Processes
  /** The S3 stores of the engines beside the native engine. */
  readonly stores: ClassStores
  /** The limits of the engines of S3 stores. */
  readonly remoteLimits: RemoteLimits
  /** Counts what lifecycle rules have removed. */
  readonly removed: RemovedCounts
  /** Counts the traffic of buckets for statistics. */
  readonly traffic: Traffic
  /** Records a fault of content files: logs the fault, and degrades the instance if its disk has failed. */
  readonly report: (fault: ContentFault) => void
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
}

/** The limits of the engines of S3 stores. */
export interface RemoteLimits {
  /** The longest time for which a URL works, in milliseconds: nothing can revoke a URL of an S3 store earlier. */
  readonly maxExpiresMs: number
  /** The time between two inventories of a bucket, in milliseconds. */
  readonly inventoryMs: number
}
