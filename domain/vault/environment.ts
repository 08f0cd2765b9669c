import type { VaultArea } from '../../output/vault/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { KeyChanges } from './seal/key-changes.ts'
import type { Keyring } from './seal/keyring.ts'

/** The parts that the code of the area uses. */
export interface VaultEnvironment extends Parts<VaultArea> {
  /** The keys of the vault in the memory of this server. */
  readonly keyring: Keyring
  /** Informs every server of changes to cached key material. */
  readonly changes: KeyChanges
}
