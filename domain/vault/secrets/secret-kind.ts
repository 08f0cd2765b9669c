import { secretInUse, secretNotFound } from '../../../output/vault/errors.ts'
import { secretFields } from '../../../output/vault/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { secretCollection } from './secrets-store.ts'

/** Secrets. */
export const secretKind = defineKind({
  type: 'vault.secrets',
  noun: 'secret',
  collection: secretCollection,
  fields: secretFields,
  notFound: secretNotFound,
  inUse: secretInUse,
  takes: () => [{ quota: 'vault.secrets', amount: 1 }],
})
