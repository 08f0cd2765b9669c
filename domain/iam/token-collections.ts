import type { Collection } from '../ports/store.ts'
import { accountKeys, spentAssertions } from './account-keys-store.ts'
import { serviceAccounts } from './service-accounts-store.ts'
import { signingKeys } from './signing-keys-store.ts'
import { throttles } from './throttle-store.ts'
import { spentRefreshTokens, tokens } from './tokens-store.ts'

/** What the area keeps of tokens and of those that programs get them with. */
export const tokenCollections: readonly Collection<never>[] = [
  tokens,
  spentRefreshTokens,
  signingKeys,
  throttles,
  serviceAccounts,
  accountKeys,
  spentAssertions,
]
