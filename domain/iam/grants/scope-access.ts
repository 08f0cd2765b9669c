import type { IamArea } from '../../../output/iam/area.ts'
import ipaddr from 'ipaddr.js'
import { unknownPermission } from '../../../output/iam/errors.ts'
import type { AccessEntryHandlers } from '../../../output/iam/handlers.ts'
import type {
  AccessEntry,
  EffectivePermission,
  ParsedGrantAccessRequest,
  IamOperation,
  ListMyPermissionsRequest,
  ListPrincipalPermissionsRequest,
  ListScopeAccessRequest,
  Principal,
  Role,
  ParsedRevokeAccessRequest,
  TestMyPermissionsRequest,
  TestMyPermissionsResponse,
  TestPermissionsResponse,
  TestPrincipalPermissionsRequest,
  TestContext,
  TestedResource,
} from '../../../output/iam/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { listInMemory, type Page } from '../../../runtime/pagination.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { quoted } from '../../../runtime/refusal.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Reader } from '../../ports/store.ts'
import { grant, revoke } from './access-changes.ts'
import { accessRows, principalsOf, type AccessRows } from './access-rows.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { checkCondition } from '../conditions/conditions.ts'
import type { CalledResource, Circumstances, Decision } from '../interfaces/decisions.ts'
import { accessEntry, effectivePermissions } from '../decisions/effective-permissions.ts'
import { statementsOf } from '../decisions/policy-statements.ts'
import { deniedFirst } from './denied-first.ts'
import { findPrincipal, foundPrincipal } from './named-principals.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { requireChain, scopeOfMembers } from '../values/scopes.ts'
import { Turns } from '../decisions/event-loop-turns.ts'
import type { Scope } from '../../ports/scope.ts'

/** Serves the access of principals at one scope, and its sources (iam.md 1, 4.6). */
export class ScopeAccess implements AccessEntryHandlers {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async listScopeAccess(request: ListScopeAccessRequest, { now, query }: ListContext): Promise<Page<AccessEntry>> {
    const scope = scopeOfMembers(request)
    const { catalogue, store } = this.#parts
    const found = await store.snapshot(async reader => {
      await requireChain(reader, this.#parts, scope)
      const rows = await accessRows(reader, this.#parts, scope, now)
      return rows && { rows, principals: await principalsOf(reader, rows) }
    })
    return listInMemory(found ? await entriesOf(catalogue, found, now) : [], query)
  }

  async listPrincipalPermissions(
    request: ListPrincipalPermissionsRequest,
    { now, query }: ListContext,
  ): Promise<Page<EffectivePermission>> {
    const scope = scopeOfMembers(request)
    const permissions = await this.#parts.store.snapshot(async reader => {
      await requireChain(reader, this.#parts, scope)
      await foundPrincipal(reader, request.principal)
      return this.#effective(reader, scope, request.principal, now)
    })
    return listInMemory(permissions, query)
  }

  /**
   * Lists the caller's permissions at a scope. The list of an absent scope is empty, so that the response does not
   * reveal whether a scope exists.
   */
  async listMyPermissions(
    request: ListMyPermissionsRequest,
    { now, principal, query }: ListContext,
  ): Promise<Page<EffectivePermission>> {
    const own = principal?.id ?? ''
    const scope = scopeOfMembers(request)
    return listInMemory(await this.#parts.store.snapshot(reader => this.#effective(reader, scope, own, now)), query)
  }

  /** Returns the permissions of an ACTIVE principal at a scope; an empty list if the scope does not exist. */
  async #effective(reader: Reader, scope: Scope, id: string, now: number): Promise<readonly EffectivePermission[]> {
    const principal = await findPrincipal(reader, id)
    const rows = principal && (await accessRows(reader, this.#parts, scope, now, id))
    if (!rows || principal.status !== 'ACTIVE') return []
    const { catalogue } = this.#parts
    const statements = rows.policies.flatMap(policy => statementsOf(catalogue, policy))
    return effectivePermissions({ ...rows, role: roleIn(rows), statements, catalogue, principal, now })
  }

  async testPrincipalPermissions(
    request: TestPrincipalPermissionsRequest,
    context: CallContext,
  ): Promise<Answer<TestPermissionsResponse>> {
    const { body, principal } = request
    const { store } = this.#parts
    const scope = scopeOfMembers(request)
    const circumstances = circumstancesOf(body.context, context.now)
    this.#requireKnown(body.permissions)
    await requireChain(store, this.#parts, scope)
    await foundPrincipal(store, principal)
    const results = []
    const turns = new Turns()
    for (const permission of body.permissions) {
      await turns.next()
      const { bindingIds, policyId, reason } = await this.#decide(
        principal,
        scope,
        permission,
        body.resource,
        circumstances,
      )
      const granted = reason === 'GRANTED'
      results.push({ permission, granted, reason, binding_ids: [...bindingIds], policy_id: policyId })
    }
    return { permissions: grantedOf(results), results }
  }

  /**
   * Tests the caller's own permissions at a scope. An absent scope grants nothing, so that the response does not reveal
   * whether a scope exists.
   */
  async testMyPermissions(
    request: TestMyPermissionsRequest,
    context: CallContext,
  ): Promise<Answer<TestMyPermissionsResponse>> {
    const { body } = request
    const scope = scopeOfMembers(request)
    const own = context.principal?.id ?? ''
    this.#requireKnown(body.permissions)
    const exists = (await this.#parts.decisions.chain(scope)) !== undefined
    const circumstances = { now: context.now, ip: context.clientAddress }
    const results = []
    const turns = new Turns()
    for (const permission of body.permissions) {
      await turns.next()
      const decision = exists && (await this.#decide(own, scope, permission, body.resource, circumstances))
      results.push({ permission, granted: decision !== false && decision.reason === 'GRANTED' })
    }
    return { permissions: grantedOf(results), results }
  }

  #decide(
    principal: string,
    scope: Scope,
    permission: string,
    tested: TestedResource | undefined,
    circumstances: Circumstances,
  ): Promise<Decision> {
    const resource = tested && calledOf(tested, permission)
    return this.#parts.decisions.decide({ principal, permission, scope, resource, circumstances })
  }

  #requireKnown(permissions: readonly string[]): void {
    for (const [i, key] of permissions.entries()) {
      if (this.#parts.catalogue.find(key)) continue
      const field = `permissions[${i}]`
      const description = `there is no permission ${quoted(key)}`
      throw unknownPermission(`${field}: ${description}`, { badRequest: [{ field, description }] })
    }
  }

  async grantAccess(request: ParsedGrantAccessRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const scope = scopeOfMembers(request)
    checkCondition(request.body.condition, 'condition')
    const run = () =>
      mutateIam(this.#parts, context, request, async tx => {
        await grant(tx, this.#parts, context, scope, request.body)
        return effectOn('GRANT', request.body.principal_id, scope)
      })
    return deniedFirst(this.#parts, context, () => scope, run)
  }

  /** Removes access. The scope need not be active, because access must always be removable. */
  async revokeAccess(request: ParsedRevokeAccessRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const scope = scopeOfMembers(request)
    const run = () =>
      mutateIam(this.#parts, context, request, async tx => {
        await revoke(tx, this.#parts, context, scope, request.body)
        return effectOn('REVOKE', request.body.principal_id, scope)
      })
    return deniedFirst(this.#parts, context, () => scope, run)
  }
}

/** The rule for the address of a test. */
export const testForm: readonly FormRule[] = [
  rulesOf<TestPrincipalPermissionsRequest['body']>()(['context'], function* ({ context: { ip } = {} }) {
    if (ip !== undefined && !ipaddr.IPv4.isValidFourPartDecimal(ip) && !ipaddr.IPv6.isValid(ip))
      yield { field: 'context.ip', description: 'must be an IPv4 or IPv6 address' }
  }),
]

/** Returns the circumstances of a test. */
function circumstancesOf({ ip, time }: TestContext = {}, now: number): Circumstances {
  return { now: time === undefined ? now : Date.parse(time), ip }
}

/** Returns the resource of a test. If the test names no type, the type is the resource type of the permission. */
function calledOf({ id, labels, name, type }: TestedResource, permission: string): CalledResource {
  return { type: type ?? permission.slice(0, permission.lastIndexOf('.')), id, name, labels }
}

/**
 * Returns the entries of the principals that have access now. Pauses regularly, so that the event loop can serve other
 * calls.
 */
async function entriesOf(
  catalogue: Catalogue,
  { principals, rows }: { readonly principals: readonly Principal[]; readonly rows: AccessRows },
  now: number,
): Promise<readonly AccessEntry[]> {
  const { bindings, chain, policies } = rows
  const own = Map.groupBy(bindings, ({ principal_id }) => principal_id)
  const role = roleIn(rows)
  // DENY statements give no access, so only ALLOW statements are kept.
  const statements = policies
    .flatMap(policy => statementsOf(catalogue, policy))
    .filter(({ effect }) => effect === 'ALLOW')
  const entries: AccessEntry[] = []
  const turns = new Turns()
  for (const principal of principals) {
    const held = own.get(principal.id) ?? []
    const entry = accessEntry({ catalogue, principal, chain, bindings: held, role, statements, now })
    if (entry) entries.push(entry)
    await turns.next()
  }
  return entries
}

function roleIn({ roles }: AccessRows): (id: string) => Role | undefined {
  const byId = new Map(roles.map(role => [role.id, role]))
  return id => byId.get(id)
}

const grantedOf = (results: readonly { readonly permission: string; readonly granted: boolean }[]): string[] =>
  results.filter(({ granted }) => granted).map(({ permission }) => permission)

const effectOn = (type: IamArea['operationType'], resourceId: string, scope: Scope): Effect<IamArea> => ({
  type,
  resourceType: 'iam.principals',
  resourceId,
  scope,
})
