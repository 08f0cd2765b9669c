import type { RootKeys } from '../../domain/vault/seal/open-safe.ts'
import type { RootKey } from '../../domain/vault/seal/root-key.ts'
import type { SettingValues } from '../settings/declarations.ts'
import { readRootKey, RootKeyFault, type RootKeySources } from './root-key-sources.ts'
import type { vaultSettings } from './settings.ts'

/** The line for an operator without a root key. */
export const howToMake =
  'make a root key with: (umask 077; openssl rand -base64 32 > vault-root.key), and set NINEFOLD_VAULT_SEAL_CURRENT_KEY=file://$PWD/vault-root.key'

/**
 * Reads the root keys of the settings. `mayMake` is whether the file of a key for development is created if it is absent.
 * Throws `RootKeyFault`.
 */
export async function readRoots(
  settings: SettingValues<typeof vaultSettings>,
  sources: RootKeySources,
  mayMake: boolean,
): Promise<RootKeys> {
  if (settings['vault.seal.current_key'] === '')
    throw new RootKeyFault('no root key is set; set vault.seal.current_key to the root key of the vault')
  const read = async (id: string, reference: string): Promise<RootKey> => ({
    id,
    bytes: await readRootKey(reference, sources, mayMake),
  })
  const current = await read(settings['vault.seal.current_key_id'], settings['vault.seal.current_key'])
  const reference = settings['vault.seal.previous_key']
  if (reference === undefined) return { current }
  return { current, previous: await read(settings['vault.seal.previous_key_id'], reference) }
}
