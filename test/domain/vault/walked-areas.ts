import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { givenRootKey } from '../../areas/kill/given-root-key.ts'
import type { WalkedOptions } from '../../areas/kill/serve-walked.ts'
import { vaultSettings } from '../../../server/vault/settings.ts'

/** The areas that crypto keys need. */
export const walkedAreas: readonly AreaModule[] = areas.filter(({ domain }) =>
  ['taxonomy', 'vault'].includes(domain.name),
)

/**
 * Returns the options of a walked server: the root key of its data folder, windows of a second, and the calls and the
 * worker that change certificates and revocation lists without a procedure.
 */
export function walkedSettings(): WalkedOptions {
  return {
    given: givenRootKey().with(vaultSettings['vault.min_destroy_window'], 1000),
    calls: [
      'createCertificate',
      'revokeCertificate',
      'revokeCertificateAuthority',
      'getCertificateRevocationList',
      'createCertificateTemplate',
    ],
    workers: ['vault.revocationLists'],
  }
}
