import { cryptoKeyInUse } from '../../../output/vault/errors.ts'
import type { PinnedVersions } from '../keys/pinned-versions.ts'
import { authorityCollection, authorityState } from './authorities-store.ts'
import { authorityStateAt } from './certificate-states.ts'

/** The versions of crypto keys that are the keys of certificate authorities. */
export const pinnedVersions: PinnedVersions = {
  async requireFree(reader, { id, row_id }) {
    if (!(await reader.exists(authorityCollection, { key_row_id: row_id }))) return
    throw cryptoKeyInUse(`version ${id} is the key of a certificate authority, and signs only for the authority`, {
      resource: { type: 'vault.cryptoKeyVersions', name: row_id },
      precondition: [
        { type: 'vault.certificateAuthorities', subject: row_id, description: 'the version must be free' },
      ],
    })
  },
  async requireDestroyable(reader, { id, row_id }, now) {
    const authority = (await reader.find(authorityCollection, { key_row_id: row_id }))?.value
    if (!authority) return
    const state = authorityStateAt(authority, now)
    if (state === authorityState('REVOKED') || state === authorityState('EXPIRED')) return
    throw cryptoKeyInUse(
      `version ${id} is the key of certificate authority ${authority.id}; revoke the authority first`,
      {
        resource: { type: 'vault.cryptoKeyVersions', name: row_id },
        precondition: [{ type: 'vault.certificateAuthorities', subject: authority.id, description: '1 left' }],
      },
    )
  },
  isOwnKey: (reader, id) => reader.exists(authorityCollection, { key_row_id: id }),
}
