import { certificateNotFound } from '../../../output/vault/errors.ts'
import { defineKind } from '../../resources/kind.ts'
import { authorityKind } from './authority-kind.ts'
import { certificateCollection } from './certificates-store.ts'

/** Certificates, which belong to an authority and end with it. */
export const certificateKind = defineKind({
  type: 'vault.certificates',
  noun: 'certificate',
  collection: certificateCollection,
  notFound: certificateNotFound,
  parent: { member: 'certificate_authority_id', parameter: 'certificate_authority', kind: authorityKind, hold: 'lock' },
  isHolding: false,
})
