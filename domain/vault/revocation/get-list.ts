import type { CertificateRevocationList, GetCertificateRevocationListRequest } from '../../../output/vault/types.ts'
import { caNotFound } from '../../../output/vault/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { isUuid } from '../../../runtime/formats.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { authorityCollection } from '../certificates/authorities-store.ts'
import { authorityKind } from '../certificates/authority-kind.ts'
import { authorityStateAt } from '../certificates/certificate-states.ts'
import type { VaultEnvironment } from '../environment.ts'
import { listAnswer } from './list-answer.ts'
import { notEnabled } from './revocation-lists.ts'
import type { CurrentList } from '../revoked/current-lists.ts'

type ListEnvironment = Pick<VaultEnvironment, 'clock' | 'lists' | 'store' | 'taxonomy'>

/** Returns the revocation list of an authority in the form of the specification. Throws CA_NOT_FOUND and CA_NOT_ENABLED. */
export async function getList(
  { clock, lists, store, taxonomy }: ListEnvironment,
  request: GetCertificateRevocationListRequest,
): Promise<JsonText<CertificateRevocationList>> {
  const stored = await store.get(authorityCollection, request.id)
  const { value } = await requireFound(store, taxonomy, authorityKind, request, stored)
  const current = await lists.current(value)
  if (current === undefined)
    throw notEnabled(value.id, authorityStateAt(value, clock.now()), 'ENABLED, or have been ENABLED')
  return listAnswer(current, value.key_algorithm ?? 'VAULT_CRYPTO_KEY_ALGORITHM_UNSPECIFIED')
}

/**
 * Returns the revocation list of an authority for callers without a token. Throws CA_NOT_FOUND, with the same answer for
 * an absent authority and for an authority that was never ENABLED.
 */
export async function publicList(
  { lists, store }: Pick<VaultEnvironment, 'lists' | 'store'>,
  id: string,
): Promise<CurrentList> {
  const stored = isUuid(id) ? await store.get(authorityCollection, id) : undefined
  const current = stored && (await lists.current(stored.value))
  if (current !== undefined) return current
  throw caNotFound(`no revocation list of a certificate authority ${id.slice(0, 80)} exists`, {
    resource: { type: authorityKind.type, name: id.slice(0, 80) },
  })
}
