import { templateNotFound } from '../../../output/vault/errors.ts'
import { certificateTemplateFields } from '../../../output/vault/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { authorityKind } from './authority-kind.ts'
import { templateCollection } from './templates-store.ts'

/** Certificate templates, which belong to an authority. */
export const templateKind = defineKind({
  type: 'vault.certificateTemplates',
  noun: 'certificate template',
  collection: templateCollection,
  fields: certificateTemplateFields,
  notFound: templateNotFound,
  parent: { member: 'certificate_authority_id', parameter: 'certificate_authority', kind: authorityKind },
  isHolding: false,
})
