import { templateAlreadyExists } from '../../../output/vault/errors.ts'
import { certificateTemplatesList } from '../../../output/vault/filters.ts'
import type { CertificateTemplate } from '../../../output/vault/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The certificate templates of all authorities. */
export const templateCollection: Collection<CertificateTemplate> = {
  name: 'vault_certificate_templates',
  id: 'id',
  list: certificateTemplatesList,
  listedBelow: 'certificate_authority_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', certificate_authority_id: 'STRING' },
  uniques: [
    {
      fields: ['certificate_authority_id', 'name'],
      taken: ({ name }) =>
        templateAlreadyExists(`the authority has a template named ${name}; choose another name`, {
          resource: { type: 'vault.certificateTemplates', name },
        }),
    },
  ],
  indexes: [['workspace_id']],
}
