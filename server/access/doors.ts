import type { CalledResource, Circumstances, Decisions } from '../../domain/iam/interfaces/decisions.ts'
import { platform, type AccessScopes, type ScopeOf } from '../../domain/ports/access.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { CallContext, Principal } from '../../runtime/context.ts'
import type { Authorized, Doors, PathParameters } from '../../runtime/doors.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { Access, Route } from '../../runtime/route.ts'
import { hasUsedKey } from '../operations/idempotency.ts'
import { pathScope, requireScopeWord, scopeOfPath } from './asked-scope.ts'
import { resourceOf, type ResourceOf } from './called-resource.ts'
import { permissionDenied } from '../../domain/resources/permission-denied.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** The store, the clock and the functions of iam that the doors use. */
export interface DoorServices {
  readonly store: Store
  readonly decisions: Decisions
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
  /**
   * Returns the caller that the header `Authorization` names. Throws TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED or
   * TOKEN_REVOKED.
   */
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>
  /** Throws TOKEN_REVOKED if the caller's token, session or principal has ended since the authentication. */
  readonly requireLive: (principal: Principal) => Promise<void>
  /** Throws AUTHORIZATION_STALE if this server may have missed a change. */
  readonly requireFresh: () => Promise<void> | void
  /** Returns the number of changes of access that this server has applied. */
  readonly changes: () => number
}

type Permission = Extract<Access, { kind: 'permission' }>

/**
 * A call that was admitted at a scope of its path before its body was read. Until a change is applied, a repeated
 * decision at the same time has the same result.
 */
interface Admitted {
  readonly path: PathParameters
  readonly now: number
  readonly changes: number
}

/** The facts of a route that decide about its authorization; computed once. */
interface Rule {
  readonly access: Permission
  readonly scopeOf: ScopeOf | 'handler'
  readonly resource: ResourceOf
  /** Whether the request must be read before the decision. */
  readonly needsRequest: boolean
  /**
   * Whether the scope stands in a row. Before the decision, a call with a used Idempotency-Key is then admitted, and
   * the operation returns the recorded answer (conventions §4).
   */
  readonly isOfRow: boolean
}

/** The values of `scope` in `x-access` for which the decision depends on the request. */
const inRequest: ReadonlySet<Permission['scope']> = new Set(['body'])

const inRow: ReadonlySet<Permission['scope']> = new Set(['row', 'parent'])

/**
 * Returns the doors that authenticate and authorize every call by the `x-access` of its operation (conventions §12).
 * `scopes` has the scope finders of the areas, keyed by area and operationId.
 */
export function iamDoors(parts: DoorServices, scopes: Readonly<Record<string, AccessScopes>>): Doors {
  const rules = new WeakMap<object, Rule>()
  const ruleOf = (route: Route<unknown, unknown>, access: Permission): Rule => {
    let rule = rules.get(route)
    if (rule === undefined) rules.set(route, (rule = makeRule(route, access, scopes[route.domain.name] ?? {})))
    return rule
  }
  /** The last admitted call, until its request is read. Most requests are read before another call is admitted. */
  let admitted: Admitted | undefined
  const isUnchanged = (path: PathParameters, now: number): boolean => {
    const last = admitted
    if (last?.path !== path) return false
    admitted = undefined
    return last.now === now && last.changes === parts.changes()
  }
  /** Decides a call again after its request was read, or for the first time if only the request decides. */
  const decideRequest = async (
    context: CallContext,
    principal: Principal,
    hasBody: boolean,
    rule: Rule | undefined,
    path: PathParameters,
    given: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    // The present time counts: a binding that expired while the body arrived grants nothing.
    const now = Math.max(context.now, parts.now())
    // While a body arrives slowly, the caller's token may be revoked, or this server may miss a change of access.
    if (hasBody) {
      await parts.requireFresh()
      if (isUnchanged(path, now)) return
      await parts.requireLive(principal)
    }
    if (rule) await decideCall(parts, { ...context, now }, rule, path, given)
  }
  return {
    async authenticate({ headers }, access) {
      if (isOpen(access, headers['authorization'])) return undefined
      const catchingUp = parts.requireFresh()
      if (catchingUp !== undefined) await catchingUp
      return parts.authenticate(headers['authorization'])
    },
    async authorize(context, route, path) {
      const { access } = route
      requireScopeWord(path)
      if (access === undefined) throw permissionDenied('', platform)
      if (access.kind !== 'permission' || context.principal === undefined) return
      const rule = ruleOf(route, access)
      if (rule.scopeOf === 'handler') return
      if (access.scope === 'filtered') return requireSomewhere(parts, context, access, path)
      if (rule.needsRequest || (rule.resource.isCreate && (await mayHangOnName(parts, access, path)))) return undecided
      // Without a body no decision is repeated, and a scope finder of an area may read the body.
      if (route.body === undefined || rule.scopeOf !== scopeOfPath) return decideCall(parts, context, rule, path)
      const changes = parts.changes()
      const authorized = await decideCall(parts, context, rule, path)
      admitted = { path, now: context.now, changes }
      return authorized
    },
    authorizeRequest(context, route, path, given) {
      const { access, body } = route
      const { principal } = context
      if (access === undefined || principal === undefined) return undefined
      const rule = access.kind === 'permission' && access.scope !== 'filtered' ? ruleOf(route, access) : undefined
      if (body === undefined && !rule?.needsRequest && !rule?.resource.isCreate) return undefined
      return decideRequest(context, principal, body !== undefined, rule, path, given)
    },
  }
}

/**
 * Whether a call is not authenticated: its operation reads no bearer token, or the caller sends none and may do so. The
 * body of an operation with `bearerOptional` may hold another proof.
 */
function isOpen(access: Access | undefined, authorization: string | undefined): boolean {
  if (access?.kind !== 'public' && access?.kind !== 'permission') return false
  return access.bearerOptional === true ? authorization === undefined : access.kind === 'public'
}

function makeRule(route: Route<unknown, unknown>, access: Permission, scopes: AccessScopes): Rule {
  const own = Object.hasOwn(scopes, route.operationId) ? scopes[route.operationId] : undefined
  return {
    access,
    // An area without a scope finder for rows has no rows yet.
    scopeOf: own ?? (inRow.has(access.scope) ? noRow : scopeOfPath),
    resource: resourceOf(route, access.key),
    needsRequest: inRequest.has(access.scope),
    isOfRow: inRow.has(access.scope),
  }
}

const undecided: Authorized = { isUndecided: true }

const noRow: ScopeOf = async () => ({ scope: undefined, told: platform })

async function decideCall(
  { decisions, store }: DoorServices,
  context: CallContext,
  { access, isOfRow, resource, scopeOf }: Rule,
  path: PathParameters,
  given?: Readonly<Record<string, unknown>>,
): Promise<Authorized | void> {
  if (scopeOf === 'handler') return
  if (isOfRow && context.idempotencyKey !== undefined && (await hasUsedKey(store, context))) return
  const asked = await scopeOf(store, { path, given, context })
  if (access.own && asked.owner === context.principal?.id) return asked
  const called = resource.of(path, nameIn(given))
  if (await isAllowed(decisions, context, access.key, asked.scope, called)) return asked
  throw permissionDenied(access.key, asked.told)
}

/**
 * Whether the caller has a permission at a scope. At a scope that is undefined or does not exist, the caller must have
 * the permission at PLATFORM (conventions §4).
 */
export async function isAllowed(
  decisions: Decisions,
  context: CallContext,
  permission: string,
  scope: Scope | undefined,
  resource?: CalledResource,
): Promise<boolean> {
  if (context.principal === undefined) return false
  const at = scope !== undefined && isAddress(scope) ? scope : platform
  const circumstances = circumstancesOf(context)
  const question = { principal: context.principal.id, permission, scope: at, resource, circumstances }
  if ((await decisions.decide(question)).reason === 'GRANTED') return true
  if (at.type === 'PLATFORM' || (await decisions.chain(at)) !== undefined) return false
  return (await decisions.decide({ ...question, scope: platform })).reason === 'GRANTED'
}

/** Whether a scope may exist: PLATFORM, or a scope whose id is a UUID. */
const isAddress = ({ id, type }: Scope): boolean => type === 'PLATFORM' || isUuid(id)

async function requireSomewhere(
  { decisions }: DoorServices,
  context: CallContext,
  { key, own }: Permission,
  path: PathParameters,
): Promise<void> {
  if (own) return
  const within = pathScope(path)
  const seen = await decisions.visible(context.principal?.id ?? '', key, circumstancesOf(context))
  if (seen.kind === 'all') return
  if (within === undefined ? seen.scopes.length > 0 : await touches(decisions, seen.scopes, within)) return
  throw permissionDenied(key, within ?? platform)
}

/** Whether one of the scopes is `within`, or an ancestor or a descendant of `within`. */
export async function touches(decisions: Decisions, scopes: readonly Scope[], within: Scope): Promise<boolean> {
  const above = isUuid(within.id) ? await decisions.chain(within) : undefined
  if (above === undefined) return false
  if (scopes.some(({ id }) => above.some(each => each.id === id))) return true
  for (const scope of scopes) {
    if ((await decisions.chain(scope))?.some(({ id }) => id === within.id)) return true
  }
  return false
}

/**
 * Whether the decision about a new resource may depend on its name, which is in the body: a policy of the workspace
 * matches resources.
 */
async function mayHangOnName({ decisions }: DoorServices, { key }: Permission, path: PathParameters): Promise<boolean> {
  const scope = pathScope(path)
  return scope?.type === 'WORKSPACE' && isUuid(scope.id) && decisions.hangsOnResource(scope, key)
}

/** Returns the name of a new resource in the body of a request; undefined if the body has no text `name`. */
function nameIn(given: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const body = given?.['body']
  const name: unknown =
    typeof body === 'object' && body !== null && Object.hasOwn(body, 'name') ? Reflect.get(body, 'name') : undefined
  return typeof name === 'string' ? name : undefined
}

/** Returns the circumstances of a call for conditions. */
export const circumstancesOf = ({ clientAddress, now }: CallContext): Circumstances => ({
  now,
  ip: clientAddress === '' ? undefined : clientAddress,
})
