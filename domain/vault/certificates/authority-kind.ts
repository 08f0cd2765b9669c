import { caNotFound, cryptoKeyNotFound } from '../../../output/vault/errors.ts'
import { defineKind } from '../../resources/kind.ts'
import { cryptoKeyKind } from '../keys/crypto-key-kind.ts'
import { authorityCollection, authorityState } from './authorities-store.ts'

/** The recorded states of authorities that count in the quota; the others can issue nothing, and no call deletes them. */
export const countedStates: readonly string[] = [
  authorityState('CREATING'),
  authorityState('AWAITING_ACTIVATION'),
  authorityState('ENABLED'),
]

/** Certificate authorities. */
export const authorityKind = defineKind({
  type: 'vault.certificateAuthorities',
  noun: 'certificate authority',
  collection: authorityCollection,
  notFound: caNotFound,
  references: [{ member: 'crypto_key_id', target: cryptoKeyKind, absent: cryptoKeyNotFound }],
  takes: ({ state }) => (countedStates.includes(state) ? [{ quota: 'vault.certificateAuthorities', amount: 1 }] : []),
})
