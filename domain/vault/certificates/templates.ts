import type { VaultArea } from '../../../output/vault/area.ts'
import type { CertificateTemplateHandlers } from '../../../output/vault/handlers.ts'
import type { CertificateTemplate } from '../../../output/vault/types.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { canonicalTemplate, defaultLifetime, requireLifetimes } from './template-form.ts'
import { templateKind } from './template-kind.ts'

/** Returns the calls of certificate templates. A change of a template touches no certificate. */
export function templates(environment: VaultEnvironment): CertificateTemplateHandlers {
  const resources = new Resources<CertificateTemplate, VaultArea>(templateKind, environment)
  return {
    listCertificateTemplates: (request, context) => resources.list(request, context),
    getCertificateTemplate: request => resources.get(request),
    async createCertificateTemplate(request, context) {
      const { etag: _precondition, ...given } = canonicalTemplate(request.body)
      const template = {
        ...given,
        ...resources.standard(request, context),
        certificate_authority_id: request.certificate_authority,
        default_lifetime: defaultLifetime(given),
      }
      return resources.create(request, context, template)
    },
    async updateCertificateTemplate(request, context) {
      const body = canonicalTemplate(request.body)
      return resources.update({ ...request, body }, context, {
        async refer(_tx, { value }) {
          requireLifetimes(value)
          return { members: { default_lifetime: defaultLifetime(value) } }
        },
      })
    },
    deleteCertificateTemplate: (request, context) => resources.delete(request, context),
  }
}
