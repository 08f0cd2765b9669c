import { cryptoKeyDeleteScheduled, cryptoKeyInUse, cryptoKeyNotFound } from '../../../output/vault/errors.ts'
import { cryptoKeyFields } from '../../../output/vault/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'

const enabled = 'VAULT_CRYPTO_KEY_STATE_ENABLED'

/** Crypto keys. A key whose deletion is scheduled allows no verb but `cancelDestroy` of its versions (vault.md 2). */
export const cryptoKeyKind = defineKind({
  type: 'vault.cryptoKeys',
  noun: 'crypto key',
  collection: cryptoKeyCollection,
  fields: cryptoKeyFields,
  notFound: cryptoKeyNotFound,
  inUse: cryptoKeyInUse,
  takes: () => [{ quota: 'vault.cryptoKeys', amount: 1 }],
  states: {
    member: 'state',
    transitions: {
      update: { type: 'UPDATE', from: [enabled] },
      rotate: { type: 'ROTATE', from: [enabled] },
      delete: { type: 'DELETE', from: [enabled], to: 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED' },
      use: { type: 'USE', from: [enabled] },
    },
    invalid: (message, _state, details) => cryptoKeyDeleteScheduled(message, details),
  },
})
