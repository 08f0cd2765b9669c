import type { Collection } from '../ports/store.ts'
import { avatarChanges, avatars } from './collections/avatars-store.ts'
import { credentialTokens } from './collections/credential-tokens-store.ts'
import { firstRuns } from './users/first-run.ts'
import { passwords, users } from './collections/users-store.ts'

/**
 * The collections of users, their passwords, credential tokens and pictures, and of the first run. The directory of
 * principals is not among them.
 */
export const userCollections: readonly Collection<never>[] = [
  users,
  passwords,
  credentialTokens,
  avatars,
  avatarChanges,
  firstRuns,
]
