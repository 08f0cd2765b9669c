import { isOpenSafe, openSafe, type RootKeys } from '../../domain/vault/seal/open-safe.ts'
import { safes, safeId } from '../../domain/vault/seal/seal-store.ts'
import type { Keyring } from '../../domain/vault/seal/keyring.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { OpenedArea } from '../area-declaration.ts'
import type { Log } from '../log.ts'
import type { SettingValues } from '../settings/declarations.ts'
import { howToMake, readRoots } from './read-roots.ts'
import { RootKeyFault } from './root-key-sources.ts'
import type { vaultSettings } from './settings.ts'

/** The parts that unsealing needs. */
export interface UnsealParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly settings: SettingValues<typeof vaultSettings>
}

/**
 * Reads the root keys and unseals the vault. Without a root key, or with a wrong root key, the vault stays sealed, and a
 * notice says the reason and the remedy. The log has the reason of each seal; callers and `/readyz`, which everyone can
 * read, learn only of the seal.
 */
export async function unseal(keyring: Keyring, parts: UnsealParts): Promise<OpenedArea> {
  let hasEnded = false
  keyring.onSeal(() => {
    if (!hasEnded) parts.log.warn({ reason: keyring.sealedReason }, 'the vault is sealed')
  })
  const reason = await reasonToStaySealed(keyring, parts)
  if (reason !== undefined) keyring.seal(reason)
  return {
    notices: reason === undefined ? [] : [`the vault is sealed: ${reason}`],
    degradation: () => (keyring.isSealed ? 'the vault is sealed; the log has the reason' : undefined),
    close: () => {
      hasEnded = true
      keyring.seal('the server has ended')
    },
  }
}

/** Returns the reason for which the vault stays sealed; undefined if the vault is unsealed. */
async function reasonToStaySealed(keyring: Keyring, parts: UnsealParts): Promise<string | undefined> {
  if (parts.settings['vault.seal.current_key'] === '') return `no root key is set; ${howToMake}`
  try {
    const roots = await rootsOf(parts)
    const opened = await openSafe(parts.store, parts.clock, roots)
    if (!isOpenSafe(opened)) return opened.reason
    keyring.unseal(opened, roots)
    return undefined
  } catch (error) {
    if (error instanceof RootKeyFault) return error.message
    throw error
  }
}

/** Reads the root keys of the settings; only a store without a vault may get a new key. */
async function rootsOf({ log, settings, store }: UnsealParts): Promise<RootKeys> {
  const made = (path: string): void =>
    log.warn({ path }, 'a root key of the vault was made for development; whoever has the file can read every secret')
  // A new key beside an existing vault would open nothing.
  const isNew = (await store.get(safes, safeId)) === undefined
  return readRoots(settings, { environment: process.env, made }, isNew)
}
