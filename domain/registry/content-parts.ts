import type { NativeLease } from '../resources/native-lease.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { PullCounts } from './artifacts/pull-counts.ts'
import type { RegistryTokens } from './tokens/registry-tokens.ts'

/** The parts of the content of repositories: the blob store, the tokens and the counts of pulls. */
export interface ContentParts {
  /** The bytes of blobs and uploads. */
  readonly blobs: BlobStore
  readonly tokens: RegistryTokens
  /** The pulls of manifests that are not stored yet. */
  readonly pulls: PullCounts
  /** Whether this server serves the bytes of blobs, and collects garbage. */
  readonly lease: NativeLease
  /** Whether only the holder of the lease can read and write the blob store; otherwise the blob store itself decides. */
  readonly isOfOneHost: boolean
  /** The time for which a blob without a link is kept, in milliseconds. */
  readonly collectionGraceMs: number
}
