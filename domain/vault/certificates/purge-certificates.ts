import type { Stored, Transaction } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { forgetRow } from '../../resources/references.ts'
import type { VaultEnvironment } from '../environment.ts'
import { clearAgenda, agenda } from '../work/agenda.ts'
import { authorityKind } from './authority-kind.ts'
import { authorityCollection, type StoredAuthority } from './authorities-store.ts'
import { keyOwner } from './authority-signer.ts'
import { eraseLive } from './live-certificates.ts'
import { templateCollection } from './templates-store.ts'
import { certificateCollection } from './certificates-store.ts'

/** The number of certificates that one transaction deletes, so that other transactions run in between. */
const batchSize = 100

/**
 * Deletes the certificates of a workspace with their due work, and then each authority with its templates, its key and
 * its due work in one transaction. An interrupted purge may run again.
 */
export async function eraseCertificates(environment: VaultEnvironment, workspace_id: string): Promise<void> {
  await eraseLive(environment.store, workspace_id)
  while ((await eraseBatch(environment, workspace_id)) === batchSize) await nextTurn()
  const { store } = environment
  for await (const { id } of store.each(authorityCollection, { workspace_id })) {
    await store.tx(async tx => {
      const stored = await tx.lock(authorityCollection, id)
      if (stored) await eraseAuthority(environment, tx, stored)
    })
  }
}

async function eraseAuthority(
  { changes, materials, taxonomy }: VaultEnvironment,
  tx: Transaction,
  { id, value, version }: Stored<StoredAuthority>,
): Promise<void> {
  for await (const template of tx.each(templateCollection, { certificate_authority_id: id }))
    await tx.delete(templateCollection, template.id, template.version)
  if (value.crypto_key_id === '') await materials.remove(tx, keyOwner(value).row_id)
  await clearAgenda(tx, id)
  await forgetRow(tx, { type: authorityKind.type, id })
  await tx.delete(authorityCollection, id, version)
  await takeDifference(tx, taxonomy, value.workspace_id, authorityKind.takes?.(value) ?? [], [])
  await changes.revise(tx, `cryptoKeys/${id}`)
}

function eraseBatch({ store }: VaultEnvironment, workspace_id: string): Promise<number> {
  return store.tx(async tx => {
    let count = 0
    for await (const { id, version } of tx.each(certificateCollection, { workspace_id })) {
      const due = await tx.get(agenda, `certificates.end/${id}`)
      if (due) await tx.delete(agenda, due.id, due.version)
      await tx.delete(certificateCollection, id, version)
      count += 1
      if (count === batchSize) break
    }
    return count
  })
}
