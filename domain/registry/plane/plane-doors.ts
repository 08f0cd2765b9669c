import type { CallContext } from '../../../runtime/context.ts'
import type { Doors } from '../../../runtime/doors.ts'
import { platform } from '../../ports/access.ts'
import { decide, mayLearnAbsence, permissionOf } from '../access/decide.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepositoryByName } from '../repositories/find-repository.ts'
import { grants, type TokenClaims } from '../tokens/registry-tokens.ts'
import { scopeOf, type TokenAction } from '../tokens/scopes.ts'
import { isPathName } from '../values/names.ts'
import { challenge } from './challenge.ts'
import { denied, ociError } from './oci-errors.ts'
import { requireServing } from './serving.ts'
import { callerContext, TokenHolder, type PlaneCall } from './plane-call.ts'

/** What a call on a repository needs. */
interface Need {
  readonly action: TokenAction
  /** Whether the token alone decides (registry.md 3). */
  readonly isBlobRead?: true
  /** Whether the call uses the blob store. */
  readonly hasBytes?: true
}

/** What each call on a repository needs, by operationId. */
const needs: Readonly<Record<string, Need>> = {
  readBlob: { action: 'pull', isBlobRead: true, hasBytes: true },
  deleteBlob: { action: 'delete' },
  startBlobUpload: { action: 'push', hasBytes: true },
  readBlobUpload: { action: 'push', hasBytes: true },
  appendBlobUpload: { action: 'push', hasBytes: true },
  finishBlobUpload: { action: 'push', hasBytes: true },
  cancelBlobUpload: { action: 'push', hasBytes: true },
  readManifest: { action: 'pull' },
  pushManifest: { action: 'push', hasBytes: true },
  deleteManifest: { action: 'delete' },
  readTags: { action: 'pull' },
  readReferrers: { action: 'pull' },
}

/** The action of access policies for each action of tokens. */
export const policyActions = { pull: 'PULL', push: 'PUSH', delete: 'DELETE' } as const satisfies Record<
  TokenAction,
  keyof typeof permissionOf
>

/** The operations without a repository: any caller with a token may call them, and the call for a token needs none. */
const withoutRepository: ReadonlySet<string> = new Set(['checkRegistry', 'readCatalog'])

/**
 * Returns the checks of the plane: the token of the call, then the rights of its principal at the moment of the use, but
 * for reads of blobs. An absent repository is told only to callers who may pull or push in its workspace; all others get
 * the same refusal as for a repository that is forbidden.
 */
export function planeDoors(environment: RegistryEnvironment): Doors {
  const { clock, functions, store, tokens } = environment
  return {
    async authenticate({ headers, method, target }) {
      const { authorization } = headers
      const source = method === 'POST' ? sourceIn(target) : ''
      if (authorization === undefined) return new TokenHolder('missing', source)
      const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
      const claims = token === '' ? undefined : await tokens.verify(token, clock.now())
      if (claims === undefined) return new TokenHolder('invalid', source)
      if (claims.principalId === '') return new TokenHolder(claims, source)
      const found = await functions.iam?.findPrincipal(store, claims.principalId)
      return found?.status === 'ACTIVE'
        ? new TokenHolder(claims, source, found.kind)
        : new TokenHolder('invalid', source)
    },
    async authorize(context, { operationId }, path) {
      const { [operationId]: need } = needs
      if (need === undefined && !withoutRepository.has(operationId)) return undefined
      const name = path.get('name') ?? ''
      const holder = context.principal
      const source = holder instanceof TokenHolder ? holder.source : ''
      const scope = need && isPathName(name) ? { scope: scopesOf(name, need.action, source) } : {}
      if (!(holder instanceof TokenHolder) || holder.claims === 'missing')
        throw challenge(environment, 'the call needs a token', scope)
      if (holder.claims === 'invalid')
        throw challenge(environment, 'the token is not valid', { ...scope, error: 'invalid_token' })
      if (need === undefined) return undefined
      if (!isPathName(name)) throw ociError('NAME_INVALID', 'the name of the repository is not valid')
      if (need.hasBytes === true) await requireServing(environment)
      const { claims } = holder
      const isGranted = grants(claims, name, need.action)
      const trusted = isGranted && (need.isBlobRead === true || claims.isScanner)
      const asked = { name, action: need.action, claims, isGranted, trusted }
      return { handedOn: await admit(environment, callerContext(context), asked) }
    },
  }
}

/** Returns the scopes that a call needs; a mount needs to pull from its source too. */
const scopesOf = (name: string, action: TokenAction, source: string): string =>
  source === '' ? scopeOf(name, action) : `${scopeOf(name, action)} ${scopeOf(source, 'pull')}`

/** Returns the repository from which the request with a target mounts a blob; empty for another request. */
function sourceIn(target: string): string {
  const source = new URLSearchParams(target.split('?')[1]).get('from') ?? ''
  return isPathName(source) ? source : ''
}

interface Asked {
  readonly name: string
  readonly action: TokenAction
  readonly claims: TokenClaims
  /** Whether the token grants the action. */
  readonly isGranted: boolean
  /** Whether the grant of the token suffices. */
  readonly trusted: boolean
}

async function admit(environment: RegistryEnvironment, context: CallContext, asked: Asked): Promise<PlaneCall> {
  const { store, taxonomy } = environment
  const { action, claims, isGranted, name, trusted } = asked
  const { repository, workspace } = await findRepositoryByName(store, taxonomy, nativeEngine, name)
  if (!repository) throw await absence(environment, context, workspace)
  const { value: place } = repository
  const isAllowed = trusted || (await decide(environment, store, { context, place, action: policyActions[action] }))
  if (!isAllowed) throw denied()
  // The principal has the right, but this token was asked for less.
  if (!isGranted)
    throw challenge(environment, 'the token does not grant the action', {
      scope: scopeOf(name, action),
      error: 'insufficient_scope',
    })
  await taxonomy.checkActive(store, place.workspace_id)
  return { name, repository, context, claims }
}

/** Returns the error of a call on a repository that does not exist. */
async function absence(environment: RegistryEnvironment, context: CallContext, workspace: string | undefined) {
  const isTold =
    workspace === undefined
      ? context.principal !== undefined && (await environment.access.holds(context, permissionOf.PULL, platform))
      : await mayLearnAbsence(environment, environment.store, context, workspace, nativeEngine)
  return isTold ? ociError('NAME_UNKNOWN', 'there is no such repository; create it through the API first') : denied()
}
