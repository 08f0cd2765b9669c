import type { VaultArea } from '../../output/vault/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { AccessAudit } from './audit/access-audit.ts'
import type { KeyChanges } from './seal/key-changes.ts'
import type { Keyring } from './seal/keyring.ts'
import type { PinnedVersions } from './keys/pinned-versions.ts'
import type { KnownKeys } from './keys/known-keys.ts'
import type { Materials } from './keys/materials.ts'
import type { CurrentLists } from './revoked/current-lists.ts'
import type { PayloadKeys } from './secrets/payload-keys.ts'
import type { SnapshotWriter } from './snapshots/snapshot-writer.ts'

/** The parts that the code of the area uses. */
export interface VaultEnvironment extends Parts<VaultArea, never, 'iam'> {
  /** Returns the address of the page for people, to which links to capsules lead. */
  readonly consoleUrl: () => string
  /** Returns the public address of the platform, without a slash at its end; revocation lists are served below it. */
  readonly baseUrl: () => string
  /** The keys of the vault in the memory of this server. */
  readonly keyring: Keyring
  /** Informs every server of changes to cached key material. */
  readonly changes: KeyChanges
  /** The rows of crypto keys that are used often. */
  readonly knownKeys: KnownKeys
  /** The key material of the versions of crypto keys. */
  readonly materials: Materials
  /** The versions of crypto keys that are the keys of certificate authorities. */
  readonly pinned: PinnedVersions
  /** The smallest time in which the destruction of a version can be cancelled, in milliseconds. */
  readonly minWindowMs: number
  /** The revocation lists of certificate authorities. */
  readonly lists: CurrentLists
  /** Records accesses to payloads and keys before they are answered. */
  readonly accesses: AccessAudit
  /** Encrypts payloads of secrets under crypto keys. */
  readonly payloadKeys: PayloadKeys
  /** Writes snapshots of the whole vault. */
  readonly snapshots: SnapshotWriter
  /**
   * Removes deleted bytes from the files of the store. A call that destroys key material or payloads awaits `scrub` after
   * its commit. Never rejects: the worker of the agenda repeats a failed run.
   */
  readonly scrub: () => Promise<void>
}
