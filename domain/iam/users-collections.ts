import type { Collection } from '../ports/store.ts'
import { avatarChanges, avatars } from './avatars-store.ts'
import { credentialTokens } from './credential-tokens-store.ts'
import { firstRuns } from './first-run.ts'
import { passwords, users } from './users-store.ts'

/** What is kept of users beside their rows in the directory. */
export const userCollections: readonly Collection<never>[] = [
  users,
  passwords,
  credentialTokens,
  avatars,
  avatarChanges,
  firstRuns,
]
