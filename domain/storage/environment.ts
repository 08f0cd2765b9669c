import type { StorageArea } from '../../output/storage/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { ContentFiles } from './contents/content-files.ts'
import type { SigningKeys } from './presigned/signing-keys.ts'

/** The parts that the code of the area uses. */
export interface StorageEnvironment extends Parts<StorageArea, 'iam' | 'topology' | 'vault'> {
  readonly files: ContentFiles
  readonly keys: SigningKeys
  /** Returns the address of the data plane, without a slash at its end. */
  readonly dataBaseUrl: () => string
}
