import { operationCancelled } from '../../../output/shared/errors.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import { again, done, type Procedure } from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import type { VaultEnvironment } from '../environment.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { schemeOf } from './key-form.ts'
import {
  isInState,
  keyVersionCollection,
  keyVersionRowId,
  versionState,
  type StoredKeyVersion,
} from './key-versions-store.ts'
import { generateMaterial, type Material } from './material.ts'
import { generatedVersion } from './new-version.ts'

/** The input of the generation of a key: the crypto key and the number of its version. */
export interface Generation {
  readonly key: string
  readonly version: string
}

/** The time between two attempts while the vault is sealed, in milliseconds. */
const sealedMs = 5000

const kind = 'vault.generateKey'

/** Returns the order to generate the material of a version. */
export const orderGeneration = ({
  crypto_key_id,
  id,
}: StoredKeyVersion): NonNullable<Effect<VaultArea>['procedure']> => ({
  kind,
  input: { key: crypto_key_id, version: id } satisfies Generation,
})

/**
 * Generates the material of a version after the answer, because RSA takes about a second. A new version becomes the
 * primary version as soon as it is ENABLED (vault.md 3, rotate).
 */
export function generateKey({ changes, clock, keyring, materials }: VaultEnvironment): Procedure<Generation> {
  return {
    kind,
    steps: [
      {
        name: 'generate',
        async run({ input, store }) {
          const stored = await store.get(keyVersionCollection, keyVersionRowId(input.key, input.version))
          if (!stored || !isInState(stored.value, 'PENDING_GENERATION')) return done()
          if (keyring.isSealed) return again(sealedMs)
          const material = await generateMaterial(schemeOf(stored.value.algorithm))
          return done(tx => enable(tx, { changes, materials }, input, material, clock.now()))
        },
      },
    ],
    async failed(tx, { input }, [{ reason }]) {
      // A deletion cancels the operation, and destroys the version itself.
      if (reason === operationCancelled.reason) return
      const pending = await lockPending(tx, input)
      if (!pending) return
      const { id, value, version } = pending.version
      const state = versionState('GENERATION_FAILED')
      const members = { state, operation_id: '', etag: nextEtag(value.etag), update_time: formatMillis(clock.now()) }
      await tx.update(keyVersionCollection, id, { ...value, ...members }, version)
    },
  }
}

/** Locks the key and its version; undefined unless the version still waits for its material. */
async function lockPending(
  tx: Transaction,
  { key, version }: Generation,
): Promise<{ readonly key: Stored<CryptoKey>; readonly version: Stored<StoredKeyVersion> } | undefined> {
  const owner = await tx.lock(cryptoKeyCollection, key)
  const stored = await tx.lock(keyVersionCollection, keyVersionRowId(key, version))
  return owner && stored && isInState(stored.value, 'PENDING_GENERATION') ? { key: owner, version: stored } : undefined
}

async function enable(
  tx: Transaction,
  { changes, materials }: Pick<VaultEnvironment, 'changes' | 'materials'>,
  input: Generation,
  material: Material,
  now: number,
): Promise<void> {
  const pending = await lockPending(tx, input)
  if (!pending) return
  const { id, value, version } = pending.version
  await materials.add(tx, value, material.secret)
  const ready = generatedVersion({ ...value, operation_id: '', etag: nextEtag(value.etag) }, material, now)
  await tx.update(keyVersionCollection, id, { ...ready, is_primary: true }, version)
  if (value.is_primary) return
  await makePrimary(tx, pending.key, value.id, now)
  await changes.revise(tx, `cryptoKeys/${input.key}`)
}

/**
 * Makes another version the primary version of a key, whose row is locked: writes the key, and the old primary version.
 * The caller writes the new primary version.
 */
export async function makePrimary(
  tx: Transaction,
  { id, value, version }: Stored<CryptoKey>,
  number: string,
  now: number,
): Promise<void> {
  await demote(tx, value)
  const members = { primary_version: number, etag: nextEtag(value.etag), update_time: formatMillis(now) }
  await tx.update(cryptoKeyCollection, id, { ...value, ...members }, version)
}

/** Takes the mark of the primary version from the present primary version of a key. */
export async function demote(tx: Transaction, { id, primary_version = '' }: CryptoKey): Promise<void> {
  const stored = await tx.lock(keyVersionCollection, keyVersionRowId(id, primary_version))
  if (stored?.value.is_primary)
    await tx.update(keyVersionCollection, stored.id, { ...stored.value, is_primary: false }, stored.version)
}
