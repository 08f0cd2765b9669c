import { AccessTokens } from '../../domain/iam/sessions/access-tokens.ts'
import { Authenticator } from '../../domain/iam/sessions/token-authenticator.ts'
import { sweepBindings } from '../../domain/iam/grants/expired-bindings.ts'
import { LiveDecisions } from '../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../domain/iam/feed/live-feed.ts'
import { ensureServiceAccount } from '../../domain/iam/service-accounts/make-service-account.ts'
import type { IamEnvironment, IamSettings } from '../../domain/iam/interfaces/iam-environment.ts'
import { passwordsOf } from '../../domain/iam/credentials/stored-passwords.ts'
import { fullCost, type Cost } from '../../domain/iam/credentials/password-hash-format.ts'
import { principals } from '../../domain/iam/collections/principals-store.ts'
import { sessionsOf } from '../../domain/iam/sessions/session-tokens.ts'
import { checkAssertion } from '../../domain/iam/sessions/assertions.ts'
import { SigningKeys } from '../../domain/iam/sessions/signing-keys.ts'
import { throttleOf } from '../../domain/iam/sign-in/sign-in-throttle.ts'
import { treeChanges } from '../../domain/iam/tree-changes.ts'
import type { Iam } from '../../domain/ports/iam.ts'
import type { Principal } from '../../runtime/context.ts'
import { accessOf } from '../access/access-of.ts'
import { catalogue } from '../access/catalogue.ts'
import { iamDoors } from '../access/doors.ts'
import type { AccessSources, OpenAccess, PlatformAccess } from '../access/platform-access.ts'
import { outside } from '../platform-domain.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import { BootstrapFile } from './bootstrap-file.ts'
import { prepareFirstRun } from './first-run.ts'
import { hashedAtOnce } from './hashing-room.ts'
import { jwksRoute } from './jwks-route.ts'
import { leasePlace } from './lease-place.ts'
import { openMailer } from './mailer.ts'
import type { IamServices } from '../access/iam-services.ts'
import { throttleLimitsOf } from './settings.ts'
import { tokenSweeper } from './sweep-tokens.ts'

/** Opens the access control of a platform by iam (iam.md 4). */
export const openIam: OpenAccess = sources => openIamAt(sources, fullCost)

/** Opens the access control as `openIam` does, with another cost of hashing passwords. */
export async function openIamAt(sources: AccessSources, cost: Cost): Promise<PlatformAccess> {
  const { clock, config, log, secrets, store, taxonomy } = sources
  const file = new BootstrapFile(config.dataDir)
  const settings = settingsOf(sources)
  const keys = new SigningKeys({ store, clock })
  const accessTokens = new AccessTokens(keys, settings)
  const decisions = new LiveDecisions({
    store,
    taxonomy,
    catalogue,
    resolveResource: (type, id) => sources.resolve(store, type, id),
  })
  const authenticator = new Authenticator({ store, clock, taxonomy, decisions, accessTokens })
  const feed = new LiveFeed({
    store,
    clock,
    listeners: [decisions, authenticator],
    leases: await leasePlace(secrets),
    changedElsewhere: secrets.changedElsewhere?.bind(secrets),
    failed: err => log.warn({ err }, 'changes of access could not be followed; it is tried again'),
  })
  const mounting = Promise.withResolvers<IamEnvironment>()
  const services: IamServices = {
    settings,
    catalogue,
    feed,
    decisions,
    sessions: sessionsOf({ accessTokens, clock, feed }),
    passwords: passwordsOf({ atOnce: hashedAtOnce(), cost }),
    throttle: throttleOf({
      store,
      key: await secrets.secret('iam_throttle'),
      limits: throttleLimitsOf(config),
    }),
    mailer: await openMailer({ ...config.mail, dataDir: config.dataDir, log, now: clock.now }),
    activated: user => file.activated(user),
    unknownToken: () => void (sources.meters.unknownTokens += 1),
    accessTokens,
    mounted: mounting.resolve,
  }
  const requireFresh = (): Promise<void> | void => {
    feed.requireFresh()
    return feed.follow()
  }
  const authenticateToken = async (token: string): Promise<Principal> => {
    await requireFresh()
    return authenticator.authenticate(`Bearer ${token}`)
  }
  return {
    doors: iamDoors(
      {
        store,
        decisions,
        now: clock.now,
        authenticate: authorization => authenticator.authenticate(authorization),
        requireLive: principal => authenticator.requireLive(principal),
        requireFresh,
        changes: () => feed.changes,
      },
      sources.scopes,
    ),
    access: accessOf({ decisions, taxonomy, reader: store }),
    functions: { iam: { ...functionsOf(mounting.promise), authenticateToken } },
    guard: services,
    routes: [jwksRoute(outside, keys)],
    periodic: [tokenSweeper(clock), bindingSweeper(clock)],
    isStale: () => feed.isStale,
    async begin() {
      await feed.start()
      await decisions.start()
      await authenticator.start()
      return prepareFirstRun(await mounting.promise, { settings: config.bootstrap, file, log })
    },
    end: () => feed.stop(),
  }
}

const settingsOf = ({ baseUrl, config }: AccessSources): IamSettings => ({
  get baseUrl() {
    return baseUrl()
  },
  get consoleUrl() {
    return config.consoleUrl ?? baseUrl()
  },
})

/**
 * Returns the functions of iam for other areas, some of which wait until iam is mounted. The tree changes only after
 * all areas are mounted.
 */
const functionsOf = (mounted: Promise<IamEnvironment>): Omit<Iam, 'authenticateToken'> => ({
  accountOfAssertion: async (reader, assertion, audience, now) =>
    (await checkAssertion(reader, assertion, audience, now)).account.id,
  async findPrincipal(reader, id) {
    const found = (await reader.get(principals, id))?.value
    if (found === undefined || found.kind === 'SYSTEM') return undefined
    return { kind: found.kind === 'USER' ? 'user' : 'service_account', status: found.status }
  },
  grantCreator: async (tx, principal, scope) => treeChanges(await mounted).grantCreator(tx, principal, scope),
  ensureServiceAccount: async (tx, workspace, name) => ensureServiceAccount(await mounted, tx, workspace, name),
  scopeChanged: async (tx, scope, kind) => treeChanges(await mounted).scopeChanged(tx, scope, kind),
})

/** Returns the worker that deletes expired bindings every 30 minutes. */
const bindingSweeper = (clock: AccessSources['clock']): Worker => ({
  name: 'iam.bindings',
  everyMs: 30 * 60 * 1000,
  run: turn => sweepBindings(turn, clock.now()),
})
