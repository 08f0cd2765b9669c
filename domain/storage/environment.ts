import type { StorageArea } from '../../output/storage/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { InstanceFolders } from './instances/instance-folders.ts'
import type { NativeLease } from './native/native-lease.ts'

/** The parts that the code of the area uses. */
export interface StorageEnvironment extends Parts<StorageArea, never, 'iam' | 'topology' | 'vault'> {
  /** Returns the URL of the data plane without a slash at its end: the prefix of `/storage-data/v1/...` in signed URLs. */
  readonly dataBaseUrl: () => string
  /** The folders of the instances on this host. */
  readonly folders: InstanceFolders
  /** Whether this server serves the content of the native engine. */
  readonly lease: NativeLease
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
}
