import { createHash, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../domain/ports/access.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Principals } from '../../domain/ports/iam.ts'
import type { Scope } from '../../domain/ports/operations.ts'
import type { Collection, Store } from '../../domain/ports/store.ts'
import type { CallContext, Principal } from '../../runtime/context.ts'
import type { Doors } from '../../runtime/doors.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { WireRequest } from '../../runtime/wire.ts'
import { doorReasons } from './errors.ts'

interface BootstrapPrincipal {
  readonly id: 'administrator'
  readonly principal_id: string
}

/** Who the bootstrap token stands for; one row, made at the first start. */
export const bootstrapPrincipals: Collection<BootstrapPrincipal> = { name: 'ninefold_bootstrap', id: 'id' }

/** The doors of every call and the questions of domain code, answered alike. */
export interface BootstrapAccess {
  readonly doors: Doors
  readonly access: Access
  readonly principals: Principals
  readonly principal: Principal
}

/**
 * One platform administrator who holds every permission everywhere and signs in with `token`; everybody else is kept
 * out. Routes without `x-access` are refused to all.
 */
export async function bootstrapAccess(store: Store, clock: Clock, token: string): Promise<BootstrapAccess> {
  const principal: Principal = { id: await principalId(store, clock), kind: 'user' }
  const expected = digest(token)
  const isAdministrator = (context: CallContext): boolean => context.principal?.id === principal.id

  return {
    principal,
    principals: {
      async find(_reader, id) {
        return id === principal.id ? { kind: 'user', status: 'ACTIVE' } : undefined
      },
    },
    doors: {
      async authenticate(request, access) {
        if (access?.kind === 'public') return undefined
        if (!timingSafeEqual(digest(bearerOf(request)), expected)) throw tokenInvalid()
        return principal
      },
      async authorize(context, { access }) {
        if (access?.kind === 'public') return
        if (access !== undefined && isAdministrator(context)) return
        throw denied(access?.kind === 'permission' ? access.key : '', { type: 'PLATFORM', id: '' })
      },
    },
    access: {
      async require(context, permission, scope) {
        if (!isAdministrator(context)) throw denied(permission, scope)
      },
      async holds(context) {
        return isAdministrator(context)
      },
    },
  }
}

async function principalId(store: Store, clock: Clock): Promise<string> {
  const fresh: BootstrapPrincipal = { id: 'administrator', principal_id: clock.newId() }
  const stored = await store.tx(
    async tx => (await tx.get(bootstrapPrincipals, fresh.id)) ?? (await tx.insert(bootstrapPrincipals, fresh)),
  )
  return stored.value.principal_id
}

/** Digests have one length, so the time of comparing them tells nothing. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function bearerOf(request: WireRequest): string {
  const header = request.headers['authorization']
  if (header === undefined) {
    throw new ApiError(doorReasons.tokenMissing, 'this call needs a token: send "Authorization: Bearer <token>"')
  }
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
  if (token === undefined) throw tokenInvalid()
  return token
}

const tokenInvalid = (): ApiError => new ApiError(doorReasons.tokenInvalid, 'the token is not valid')

/** One answer for every refusal: it tells neither what exists nor which rule refused (conventions §12). */
function denied(permission: string, scope: Scope): ApiError {
  return new ApiError(doorReasons.permissionDenied, 'permission denied', {
    permission,
    scope_type: scope.type,
    scope_id: scope.id,
  })
}
