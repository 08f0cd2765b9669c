import { keyVersionDisabled } from '../../../output/vault/errors.ts'
import { cryptoKeyVersionsList } from '../../../output/vault/filters.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { Store } from '../../ports/store.ts'
import { usableVersion } from './find-key.ts'
import { keyVersionCollection, keyVersionRowId, versionState, type StoredKeyVersion } from './key-versions-store.ts'
import { absentVersion } from './primary-version.ts'

/** The maximal number of versions that one call tries. */
const maxCandidates = 16

const newestFirst = checkOrder('version desc', cryptoKeyVersionsList)

/** The versions that a call tries, and the version that a failure names. */
export interface Candidates {
  readonly candidates: readonly StoredKeyVersion[]
  readonly named: StoredKeyVersion
}

/**
 * Returns the version that `key_version` names; without a number, the ENABLED versions of a key: the primary version,
 * then the newest first. Throws KEY_VERSION_DISABLED if no version is ENABLED, and as `usableVersion`.
 */
export async function candidatesOf(
  store: Pick<Store, 'get' | 'page'>,
  key: CryptoKey,
  key_version: string,
): Promise<Candidates> {
  const { id, primary_version = '' } = key
  if (key_version !== '') {
    const named = await usableVersion(store as Store, key, key_version)
    return { candidates: [named], named }
  }
  const primary = await store.get(keyVersionCollection, keyVersionRowId(id, primary_version))
  if (!primary) throw absentVersion(id, primary_version)
  const state = versionState('ENABLED')
  const query = { size: maxCandidates, filter: undefined, order: newestFirst, after: undefined, now: 0 }
  const page = await store.page(keyVersionCollection, query, { crypto_key_id: id, state })
  const others = page.items.map(({ value }) => value).filter(({ is_primary }) => !is_primary)
  const candidates = primary.value.state === state ? [primary.value, ...others] : others
  if (candidates.length > 0) return { candidates: candidates.slice(0, maxCandidates), named: primary.value }
  throw keyVersionDisabled(`crypto key ${id} has no version that is ENABLED; enable a version`, {
    resource: { type: 'vault.cryptoKeys', name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'a version must be ENABLED' }],
  })
}
