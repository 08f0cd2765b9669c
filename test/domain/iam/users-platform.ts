import type { Store } from '../../../domain/ports/store.ts'
import type { NodeState, Taxonomy } from '../../../domain/ports/taxonomy.ts'
import type { VisibleRows } from '../../../domain/ports/access.ts'
import { OperationRecords } from '../../../domain/resources/operation-records.ts'
import type { Mail } from '../../../domain/ports/mailer.ts'
import type { IamEnvironment } from '../../../domain/iam/interfaces/iam-environment.ts'
import type { UserGuards } from '../../../domain/iam/users/user-guards.ts'
import { Users } from '../../../domain/iam/users/users.ts'
import { IamClient } from '../../../output/iam/client.ts'
import { authenticationThrottled, escalationDenied, iam, iamPermissionDenied } from '../../../output/iam/errors.ts'
import { iamRoutes } from '../../../output/iam/routes.ts'
import { iamForms } from '../../../domain/iam/forms.ts'
import { ruled } from '../../../runtime/bind.ts'
import { dispatcher } from '../../../runtime/call.ts'
import { unimplemented } from '../../../runtime/errors.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { tokens } from './calls.ts'
import { baseUrl, iamEnvironment } from './iam-environment.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

/** The id of an administrator with every permission and no row in the store. */
export const administrator = '0199c5a0-0c11-7d84-b6a9-2f3e4d5c6b70'
export const organisation = '0199c5a4-3b7e-7c21-9d4f-5a6b7c8d9e01'
export const workspace = '0199c5a7-2e40-7f53-8a6b-9c0d1e2f3a41'

/** The settings of a test, and the recorded effects on other parts. */
export class World {
  /** The time, in milliseconds since 1970. */
  now = Date.parse('2026-03-01T12:00:00Z')
  readonly states = new Map<string, NodeState>([
    [organisation, 'ACTIVE'],
    [workspace, 'ACTIVE'],
  ])
  /** The keys of the permissions that the callers lack. */
  readonly missing = new Set<string>()
  visible: VisibleRows = 'everything'
  /** The users whose rights exceed the rights of every caller. */
  readonly strong = new Set<string>()
  readonly lastAdministrators = new Set<string>()
  readonly mails: Mail[] = []
  isMailing = false
  isMailRefused = false
  /** The changes that the feed has recorded, each as `<kind> <key>`. */
  readonly changes: string[] = []
  /** The ended sessions, each as `<reason> <user> <id of the session that was kept>`. */
  readonly ended: string[] = []
  readonly granted: string[] = []
  /** The numbers of attempts that count as failed, keyed by the kind of the guessed value. */
  readonly attempts = { password: 0, token: 0 }
  isThrottled = false
  readonly waits = new Map<string, string>()
}

/** The calls about users over a store; all other parts of iam are stand-ins. */
export interface UsersPlatform {
  readonly world: World
  readonly parts: IamEnvironment
  /** Returns a client of a user, by default of the administrator; with kind `service`, of a service account. */
  as(user?: string, kind?: 'user' | 'service'): IamClient
  /** A client without a bearer token. */
  readonly nobody: IamClient
}

/** Mounts users on a store and returns the platform; servers of one store share `world`. */
export function usersPlatform(store: Store, world = new World()): UsersPlatform {
  const parts = partsOf(store, world)
  const users = new Users(parts, guardsOf(world))
  const resources = { users, operations: new OperationRecords(parts) }
  const handlers = new Proxy({} as Parameters<typeof iamRoutes>[0], {
    get: (_, name) => Reflect.get(resources, name) ?? unbuilt,
  })
  const dispatch = dispatcher({
    routes: ruled(iamRoutes(handlers), iamForms(parts.catalogue)),
    doors: {
      async authenticate(request, access) {
        const [, kind, id = ''] = /^Bearer (user|service)\.([\w-]+)$/.exec(request.headers['authorization'] ?? '') ?? []
        if (access?.kind === 'public' || kind === undefined) return undefined
        return { id, kind: kind === 'user' ? 'user' : 'service_account', sessionId: `session-of-${id}` }
      },
      async authorize() {},
    },
    tokens,
    clock: parts.clock,
    domains: { outside: iam, areas: [iam] },
    log: () => {},
  })
  const host = fetchHost(dispatch)
  const fetched: typeof fetch = (input, init) => host(new Request(input, init))
  return {
    world,
    parts,
    as: (user = administrator, kind = 'user') =>
      new IamClient(createTransport({ baseUrl, token: `${kind}.${user}`, fetch: fetched })),
    nobody: new IamClient(createTransport({ baseUrl, fetch: fetched })),
  }
}

const unbuilt = new Proxy(
  {},
  {
    get: (_, name) => async () => {
      throw unimplemented(String(name))
    },
  },
)

const partsOf = (store: Store, world: World): IamEnvironment =>
  iamEnvironment({
    store,
    now: () => world.now,
    listeners: [{ changed: (kind, key) => void world.changes.push(`${kind} ${key}`), reset() {} }],
    taxonomy: taxonomyOf(world),
    access: accessOf(world),
    sessions: {
      open: () => Promise.reject(new Error('nobody signs in here')),
      async endAll(tx, principal, reason, _time, except) {
        tx.afterCommit(() => world.ended.push([reason, principal, except ?? ''].join(' ').trim()))
      },
    },
    throttle: throttleOf(world),
    mailer: {
      get isConfigured() {
        return world.isMailing
      },
      async send(mail) {
        if (world.isMailRefused) throw new Error('550 no such mailbox')
        world.mails.push(mail)
      },
    },
  }).parts

const accessOf = (world: World): IamEnvironment['access'] => ({
  async require(_context, permission, { id, type }) {
    if (!world.missing.has(permission)) return
    throw iamPermissionDenied('permission denied', { permission, scope_type: type, scope_id: id })
  },
  holds: async (_context, permission) => !world.missing.has(permission),
  visible: async () => world.visible,
})

function taxonomyOf(world: World): Taxonomy {
  const stateOf = async (_reader: unknown, scope: Scope) => {
    const state = world.states.get(scope.id)
    return state && { state, source: scope }
  }
  return {
    effectiveState: stateOf,
    requireActive: async () => {},
    checkActive: async () => {},
    share: async () => {},
    parent: async () => undefined,
    chain: async (_reader, scope) => (world.states.has(scope.id) ? [scope] : undefined),
    subtree: async () => [],
    namesOf: async () => undefined,
    createTimeOf: async () => undefined,
    workspaceNamed: async () => undefined,
    requireRoom: async () => {},
    consume: async () => {},
  }
}

function throttleOf(world: World): IamEnvironment['throttle'] {
  const attempt = (what: keyof World['attempts']) => {
    if (world.isThrottled) throw authenticationThrottled('too many attempts', { retryAfterSeconds: 60 })
    world.attempts[what] += 1
    return { succeed: async () => void (world.attempts[what] -= 1) }
  }
  return {
    password: async () => attempt('password'),
    credentialToken: async () => attempt('token'),
    waits: async emails => new Map([...world.waits].filter(([email]) => emails.includes(email))),
  }
}

const guardsOf = (world: World): UserGuards => ({
  async requireTakeOver(_tx, _context, { id }) {
    if (world.strong.has(id)) throw escalationDenied('the user holds more', { permission: 'iam.users.get' })
  },
  async requireOtherAdministrator(_tx, _context, { id }) {
    if (world.lastAdministrators.has(id)) throw new Error('the last administrator')
  },
  mayTakeOver: async (_reader, _minter, target) => !world.strong.has(target),
  givableRole:
    async (tx, { role_id, scope }) =>
    async () => {
      tx.afterCommit(() => world.granted.push(`${role_id} ${scope.type} ${scope.id}`))
    },
})

/** A password that no rule refuses. */
export const goodPassword = 'quiet-harbour-lantern'

/** Invites a user; returns the id of the user and the activation token. */
export async function invite(
  platform: UsersPlatform,
  email = 'kim@acme.example',
): Promise<{ readonly id: string; readonly token: string }> {
  const { credential, resource_id } = await platform.as().inviteUser({ body: { email, organisation_id: organisation } })
  return { id: resource_id, token: credential?.token ?? '' }
}

/** Makes an ACTIVE user, and returns the id of the user. */
export async function activeUser(platform: UsersPlatform, email?: string): Promise<string> {
  const { id, token } = await invite(platform, email)
  await platform.nobody.activateUser({ body: { token, password: goodPassword } })
  return id
}
