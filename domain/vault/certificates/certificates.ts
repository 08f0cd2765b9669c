import type { VaultArea } from '../../../output/vault/area.ts'
import type { CertificateHandlers } from '../../../output/vault/handlers.ts'
import type { Certificate } from '../../../output/vault/types.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { byStateAt } from '../../resources/state-by-clock.ts'
import { certificateKind } from './certificate-kind.ts'
import { certificateStateAt, certificateStates } from './certificate-states.ts'
import { certificateCollection, type StoredCertificate } from './certificates-store.ts'
import { issueCertificate } from './issue-certificate.ts'

/** The calls that issue and read certificates. */
export type CertificateCalls = Pick<CertificateHandlers, 'createCertificate' | 'getCertificate' | 'listCertificates'>

/** Returns the calls that issue and read certificates. */
export function certificateCalls(environment: VaultEnvironment): CertificateCalls {
  const { store, taxonomy } = environment
  const resources = new Resources<StoredCertificate, VaultArea>(certificateKind, environment)
  return {
    async listCertificates(request, { query }) {
      const { certificate_authority, engine, workspace } = request
      const where = { certificate_authority_id: certificate_authority, workspace_id: workspace, engine }
      const page = await store.page(certificateCollection, byStateAt(query, certificateStates), where)
      if (page.items.length === 0)
        await requirePlace(store, taxonomy, certificateKind, { workspace, engine }, certificate_authority)
      return { ...page, items: page.items.map(({ value }) => shownCertificate(value, query.now)) }
    },
    async getCertificate(request, { now }) {
      return shownCertificate((await resources.read(request)).value, now)
    },
    createCertificate: (request, context) => issueCertificate(environment, resources, request, context),
  }
}

/** Returns a certificate as callers see it, with its state at a time. */
export function shownCertificate(certificate: StoredCertificate, now: number): Certificate {
  const { template_copy: _copy, ...shown } = certificate
  return { ...shown, state: certificateStateAt(certificate, now) }
}
