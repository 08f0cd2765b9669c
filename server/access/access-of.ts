import type { Decisions, Visibility } from '../../domain/iam/interfaces/decisions.ts'
import { platform, type Authorizer, type VisibleRows } from '../../domain/ports/access.ts'
import type { Reader } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'
import { isUuid } from '../../runtime/formats.ts'
import { circumstancesOf, isAllowed, touches } from './doors.ts'
import { permissionDenied } from '../../domain/resources/permission-denied.ts'
import type { Scope } from '../../domain/ports/scope.ts'

interface AuthorizerServices {
  readonly decisions: Decisions
  readonly taxonomy: Taxonomy
  readonly reader: Reader
}

/** Returns the authorizer for domain code, which decides by the rules of the doors. */
export function accessOf(parts: AuthorizerServices): Authorizer {
  const { decisions } = parts

  return {
    holds: (context, permission, scope) => isAllowed(decisions, context, permission, scope),
    async require(context, permission, scope, told = scope) {
      if (!(await isAllowed(decisions, context, permission, scope))) throw permissionDenied(permission, told)
    },
    async visible(context, permission, { isOwn = false, within } = {}) {
      const seen = await decisions.visible(context.principal?.id ?? '', permission, circumstancesOf(context))
      if (!isOwn && !(await isSomewhere(decisions, seen, within)))
        throw permissionDenied(permission, within ?? platform)
      return visibleOf(parts, seen, within)
    },
  }
}

async function isSomewhere(decisions: Decisions, seen: Visibility, within: Scope | undefined): Promise<boolean> {
  if (seen.kind === 'all') return true
  return within === undefined ? seen.scopes.length > 0 : touches(decisions, seen.scopes, within)
}

async function visibleOf(parts: AuthorizerServices, seen: Visibility, within: Scope | undefined): Promise<VisibleRows> {
  const { except = new Set<string>() } = seen
  if (seen.kind === 'all' || (within && (await isAbove(parts.decisions, seen.scopes, within)))) {
    return except.size === 0 ? 'everything' : { allBut: except }
  }
  const scopes = new Set<string>()
  for (const scope of seen.scopes) {
    scopes.add(scope.id)
    for (const { id } of await parts.taxonomy.subtree(parts.reader, scope)) scopes.add(id)
  }
  return { scopes: new Set([...scopes].filter(id => !except.has(id))) }
}

/** Whether one of the scopes is `within` or an ancestor of `within`. */
async function isAbove(decisions: Decisions, scopes: readonly Scope[], within: Scope): Promise<boolean> {
  const chain = isUuid(within.id) ? await decisions.chain(within) : undefined
  return chain !== undefined && scopes.some(({ id }) => chain.some(above => above.id === id))
}
