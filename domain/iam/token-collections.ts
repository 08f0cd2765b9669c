import type { Collection } from '../ports/store.ts'
import { accountKeys, spentAssertions } from './collections/account-keys-store.ts'
import { serviceAccounts } from './collections/service-accounts-store.ts'
import { signingKeys } from './collections/signing-keys-store.ts'
import { throttles } from './sign-in/throttle-store.ts'
import { spentRefreshTokens, tokens } from './collections/tokens-store.ts'

/**
 * The collections of tokens and signing keys, of failed attempts to sign in, and of service accounts with the keys
 * whose assertions are exchanged for tokens.
 */
export const tokenCollections: readonly Collection<never>[] = [
  tokens,
  spentRefreshTokens,
  signingKeys,
  throttles,
  serviceAccounts,
  accountKeys,
  spentAssertions,
]
