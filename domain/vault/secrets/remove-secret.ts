import type { VaultArea } from '../../../output/vault/area.ts'
import type { Secret } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Reader, Store, Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { forgetRow } from '../../resources/references.ts'
import { agenda, clearAgenda, setAgenda } from '../work/agenda.ts'
import { secretKind } from './secret-kind.ts'
import { payloadCollection, secretVersionCollection, type StoredSecretVersion } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

/** The maximal number of versions that are erased in the transaction that deletes their secret. */
const mostAtOnce = 4

/**
 * The time after which a batch of erasures ends, in milliseconds. SQLite blocks the thread for 1.6 ms to overwrite the
 * largest payload, and the commit takes up to four times as long as its batch.
 */
const batchMs = 2

const erasureOf = (secret: string): string => `secrets.erase/${secret}`

/** Whether the versions of a deleted secret are still to be erased. */
export const isErasing = (reader: Reader, secret: string): Promise<boolean> =>
  reader.exists(agenda, { id: erasureOf(secret) })

/**
 * Erases the versions of a secret, in the transaction that deletes the secret. If there are many versions, the work is
 * only recorded: the caller runs `eraseVersions` after the commit, and the worker of the agenda takes over from a killed
 * server. No call finds a version without its secret.
 */
export async function removeVersions(tx: Transaction, secret: Secret, now: number): Promise<void> {
  await clearAgenda(tx, secret.id)
  if (Number(secret.latest_version) > mostAtOnce) await setAgenda(tx, 'secrets.erase', secret, formatMillis(now))
  else for await (const row of versionsOf(tx, secret.id)) await eraseVersion(tx, row)
}

/** Erases the versions of a deleted secret in batches, so that neither the event loop nor other writers wait long. */
export async function eraseVersions({ store }: { readonly store: Store }, secret: string): Promise<void> {
  if (!(await isErasing(store, secret))) return
  while (await store.tx(tx => eraseBatch(tx, secret)));
}

/** Erases some versions of a deleted secret; returns whether versions are left. Concurrent batches wait for each other. */
export async function eraseBatch(tx: Transaction, secret: string): Promise<boolean> {
  const order = await tx.lock(agenda, erasureOf(secret))
  if (!order) return false
  const end = performance.now() + batchMs
  for await (const row of versionsOf(tx, secret)) {
    await eraseVersion(tx, row)
    if (performance.now() > end) return true
  }
  await tx.delete(agenda, order.id, order.version)
  return false
}

const versionsOf = (reader: Reader, secret_id: string) => reader.each(secretVersionCollection, { secret_id })

/** Deletes a version, first its payload. */
async function eraseVersion(tx: Transaction, { id, value, version }: Stored<StoredSecretVersion>): Promise<void> {
  const payload = await tx.get(payloadCollection, id)
  if (payload) await tx.delete(payloadCollection, id, payload.version)
  await tx.delete(secretVersionCollection, id, version)
  if (value.scheduled_destroy_time !== undefined) await clearAgenda(tx, id)
}

/**
 * Deletes a secret with its versions and all references from and to the secret, and returns its amount to the quota. The
 * transaction has locked the secret. Versions are erased as `removeVersions` describes.
 */
export async function eraseSecret(
  tx: Transaction,
  taxonomy: Pick<Taxonomy, 'consume'>,
  { id, value, version }: Stored<Secret>,
  now: number,
): Promise<void> {
  await forgetRow(tx, { type: secretKind.type, id })
  await removeVersions(tx, value, now)
  await tx.delete(secretCollection, id, version)
  await takeDifference(tx, taxonomy, value.workspace_id, secretKind.takes?.(value) ?? [], [])
}

/**
 * Deletes an expired secret, even if rows refer to the secret, and records the operation of the system principal. The
 * transaction has shared the organisation and locked the secret.
 */
export async function removeExpired(
  tx: Transaction,
  { operations, taxonomy }: Pick<Parts<VaultArea>, 'operations' | 'taxonomy'>,
  secret: Stored<Secret>,
  now: number,
): Promise<void> {
  await eraseSecret(tx, taxonomy, secret, now)
  const scope = workspaceScope(secret.value.workspace_id)
  await operations.begin(tx, { type: 'DELETE', resourceType: secretKind.type, resourceId: secret.id, scope })
}
