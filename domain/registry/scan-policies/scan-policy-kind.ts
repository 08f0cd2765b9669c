import { scanPolicyNotFound } from '../../../output/registry/errors.ts'
import { scanPolicyFields } from '../../../output/registry/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { scanPolicyCollection } from './scan-policies-store.ts'

/** The kind of scan policies. */
export const scanPolicyKind = defineKind({
  type: 'registry.scanPolicies',
  noun: 'scan policy',
  collection: scanPolicyCollection,
  fields: scanPolicyFields,
  notFound: scanPolicyNotFound,
})
