import { capsuleNotFound } from '../../../output/vault/errors.ts'
import { defineKind } from '../../resources/kind.ts'
import { capsuleCollection } from './capsules-store.ts'

/** Capsules. Only active capsules count among the holdings of a workspace, so the area itself counts them. */
export const capsuleKind = defineKind({
  type: 'vault.capsules',
  noun: 'capsule',
  collection: capsuleCollection,
  notFound: capsuleNotFound,
  isHolding: false,
})
