import { retentionPolicyNotFound } from '../../../output/registry/errors.ts'
import { retentionPolicyFields } from '../../../output/registry/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { retentionCollection } from './retention-store.ts'

/** The kind of retention policies. */
export const retentionKind = defineKind({
  type: 'registry.retentionPolicies',
  noun: 'retention policy',
  collection: retentionCollection,
  fields: retentionPolicyFields,
  notFound: retentionPolicyNotFound,
})
