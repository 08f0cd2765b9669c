import type { Transaction } from '../../../domain/ports/store.ts'
import type { AnyKind } from '../../../domain/resources/kind.ts'
import { addReference, references } from '../../../domain/resources/references.ts'
import { restateUsage } from '../../../domain/taxonomy/quotas/restate.ts'
import { quotaUsages } from '../../../domain/taxonomy/quotas/usage.ts'
import { vault } from '../../../domain/vault/area.ts'
import { cryptoKeyKind } from '../../../domain/vault/keys/crypto-key-kind.ts'
import { secretKind } from '../../../domain/vault/secrets/secret-kind.ts'
import { secretCollection } from '../../../domain/vault/secrets/secrets-store.ts'

const kinds: readonly AnyKind[] = vault.kinds

/**
 * Makes the rows of other tables agree with the restored rows: the references that the rows of the vault make, and the
 * usages of the quotas of the vault.
 */
export async function relink(tx: Transaction): Promise<void> {
  await dropStale(tx)
  for (const kind of kinds) for await (const { holder, target } of kind.uses(tx)) await addReference(tx, target, holder)
  for await (const { id, value } of tx.each(secretCollection)) {
    if (value.crypto_key_id === '') continue
    await addReference(tx, { type: cryptoKeyKind.type, id: value.crypto_key_id }, { type: secretKind.type, id })
  }
  await restateUsages(tx)
}

/** Deletes the references of rows of the vault that do not exist any more, or whose target in the vault does not. */
async function dropStale(tx: Transaction): Promise<void> {
  const byType = new Map(kinds.map(kind => [kind.type, kind]))
  const isGone = async (type: string, id: string): Promise<boolean> => {
    const kind = byType.get(type)
    return kind !== undefined && (await kind.facts(tx, id)) === undefined
  }
  for await (const { id, value, version } of tx.each(references, { holder_type: [...byType.keys()] })) {
    const { holder_id, holder_type, target_id, target_type } = value
    if ((await isGone(holder_type, holder_id)) || (await isGone(target_type, target_id)))
      await tx.delete(references, id, version)
  }
}

async function restateUsages(tx: Transaction): Promise<void> {
  const sums = new Map<string, { readonly quota: string; readonly workspace: string; amount: number }>()
  const add = (quota: string, workspace: string, amount: number): void => {
    const sum = sums.get(`${quota}/${workspace}`) ?? { quota, workspace, amount: 0 }
    sum.amount += amount
    sums.set(`${quota}/${workspace}`, sum)
  }
  for await (const { value } of tx.each(quotaUsages))
    if (value.quota_id.startsWith('vault.')) add(value.quota_id, value.workspace_id, 0)
  for (const kind of kinds)
    for await (const { amount, quota, workspace } of kind.taken(tx)) add(quota, workspace, amount)
  for (const { amount, quota, workspace } of sums.values()) await restateUsage(tx, workspace, quota, amount)
}
