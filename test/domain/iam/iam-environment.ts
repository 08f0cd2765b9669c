import { iamCollections } from '../../../domain/iam/area.ts'
import { passwordsOf } from '../../../domain/iam/credentials/stored-passwords.ts'
import { LiveDecisions } from '../../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../../domain/iam/feed/live-feed.ts'
import type { FeedListener } from '../../../domain/iam/interfaces/feed.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import { AccessTokens } from '../../../domain/iam/sessions/access-tokens.ts'
import { sessionsOf } from '../../../domain/iam/sessions/session-tokens.ts'
import { SigningKeys } from '../../../domain/iam/sessions/signing-keys.ts'
import { Authenticator } from '../../../domain/iam/sessions/token-authenticator.ts'
import { throttleOf } from '../../../domain/iam/sign-in/sign-in-throttle.ts'
import { defaultThrottleLimits } from '../../../domain/iam/sign-in/throttle-rules.ts'
import type { Collection, Store } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import type { IamArea } from '../../../output/iam/area.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList } from '../../../output/iam/filters.ts'
import type { IamOperation } from '../../../output/iam/types.ts'
import { checkIamOperation } from '../../../output/iam/validators.ts'
import { accessOf } from '../../../server/access/access-of.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { workCollections } from '../../../server/operations/workers.ts'
import { quickCost } from './quick-cost.ts'
import { testCatalogue } from './test-catalogue.ts'

/** The collections of iam, and of the rows that its calls write in other areas. */
export const collections: readonly Collection<never>[] = [
  ...iamCollections,
  ...taxonomyCollections,
  ...workCollections,
  outbox,
  rememberedKeys,
  operationsCollection<IamOperation>('iam', operationsList),
]

export const baseUrl = 'https://iam.test'

/** The parts of iam over a store, and the caches of these parts; tests start the caches that they need. */
export interface IamBench {
  readonly parts: IamEnvironment
  /** The decisions by the rows of the store; `parts` has other decisions if a test replaces them. */
  readonly decisions: LiveDecisions
  readonly feed: LiveFeed
  readonly keys: SigningKeys
  readonly accessTokens: AccessTokens
  readonly authenticator: Authenticator
  readonly queue: WorkQueue
}

/** The store and the clock of a bench, and the parts that a test replaces. */
export interface IamChoices extends Partial<IamEnvironment> {
  readonly store: Store
  /** Returns the time of the test, in milliseconds since 1970. */
  readonly now: () => number
  /** Further caches that the feed notifies of changes. */
  readonly listeners?: readonly FeedListener[]
}

/**
 * Assembles the parts of iam as a single server does: the feed has no leases. The test sets the clock, no mail is sent,
 * and password hashes have the lowest cost. A test can replace any part. Returns the parts and their caches.
 */
export function iamEnvironment({ listeners = [], now, store, ...replaced }: IamChoices): IamBench {
  const clock = createClock(now)
  const { catalogue = testCatalogue, taxonomy = taxonomyFunctions } = replaced
  const queue = new WorkQueue()
  const audit = outboxAudit(clock, taxonomy)
  const keys = new SigningKeys({ store, clock })
  const accessTokens = new AccessTokens(keys, { baseUrl })
  const live = new LiveDecisions({ store, taxonomy, catalogue, resolveResource: async () => undefined })
  const decisions = replaced.decisions ?? live
  const authenticator = new Authenticator({ store, clock, decisions, accessTokens, taxonomy })
  const feed = new LiveFeed({ store, clock, listeners: [live, authenticator, ...listeners] })
  const parts: IamEnvironment = {
    store,
    clock,
    audit,
    feed,
    decisions,
    taxonomy,
    catalogue,
    functions: {},
    operations: operationsOf<IamArea>(
      { store, clock, audit, queue },
      { domain: iam, list: operationsList, check: checkIamOperation },
    ),
    access: accessOf({ decisions, taxonomy, reader: store }),
    sessions: sessionsOf({ accessTokens, clock, feed }),
    passwords: passwordsOf({ atOnce: 2, cost: quickCost }),
    throttle: throttleOf({ store, limits: defaultThrottleLimits, key: new Uint8Array(32) }),
    settings: { baseUrl, consoleUrl: 'https://console.test' },
    mailer: { isConfigured: false, send: () => Promise.reject(new Error('no test expects a mail')) },
    ...replaced,
  }
  return { parts, decisions: live, feed, keys, accessTokens, authenticator, queue }
}
