import { isOpenSafe, openSafe, type RootKeys } from '../../domain/vault/seal/open-safe.ts'
import type { RootKey } from '../../domain/vault/seal/root-key.ts'
import { safes, safeId } from '../../domain/vault/seal/seal-store.ts'
import type { Keyring } from '../../domain/vault/seal/keyring.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { OpenedArea } from '../area-declaration.ts'
import type { Log } from '../log.ts'
import type { SettingValues } from '../settings/declarations.ts'
import { readRootKey, RootKeyFault, type RootKeySources } from './root-key-sources.ts'
import type { vaultSettings } from './settings.ts'

/** The parts that unsealing needs. */
export interface UnsealParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly settings: SettingValues<typeof vaultSettings>
}

/** The line for an operator without a root key. */
const howToMake =
  'make a root key with: (umask 077; openssl rand -base64 32 > vault-root.key), and set NINEFOLD_VAULT_SEAL_CURRENT_KEY=file://$PWD/vault-root.key'

/**
 * Reads the root keys and unseals the vault. Without a root key, or with a wrong root key, the vault stays sealed, and a
 * notice says the reason and the remedy.
 */
export async function unseal(keyring: Keyring, parts: UnsealParts): Promise<OpenedArea> {
  const reason = await reasonToStaySealed(keyring, parts)
  if (reason !== undefined) keyring.seal(reason)
  return {
    notices: reason === undefined ? [] : [`the vault is sealed: ${reason}`],
    degradation: () => keyring.sealedReason && `the vault is sealed: ${keyring.sealedReason}`,
    close: () => keyring.seal('the server has ended'),
  }
}

/** Returns the reason for which the vault stays sealed; undefined if the vault is unsealed. */
async function reasonToStaySealed(keyring: Keyring, parts: UnsealParts): Promise<string | undefined> {
  if (parts.settings['vault.seal.current_key'] === '') return `no root key is set; ${howToMake}`
  try {
    const roots = await readRoots(parts)
    const opened = await openSafe(parts.store, parts.clock, roots)
    if (!isOpenSafe(opened)) return opened.reason
    keyring.unseal(opened, roots)
    return undefined
  } catch (error) {
    if (error instanceof RootKeyFault) return error.message
    throw error
  }
}

async function readRoots({ log, settings, store }: UnsealParts): Promise<RootKeys> {
  const made = (path: string): void =>
    log.warn({ path }, 'a root key of the vault was made for development; whoever has the file can read every secret')
  const sources: RootKeySources = { environment: process.env, made }
  // A new key beside an existing vault would open nothing.
  const isNew = (await store.get(safes, safeId)) === undefined
  const read = async (id: string, reference: string): Promise<RootKey> => ({
    id,
    bytes: await readRootKey(reference, sources, isNew),
  })
  const current = await read(settings['vault.seal.current_key_id'], settings['vault.seal.current_key'])
  const reference = settings['vault.seal.previous_key']
  if (reference === undefined) return { current }
  return { current, previous: await read(settings['vault.seal.previous_key_id'], reference) }
}
