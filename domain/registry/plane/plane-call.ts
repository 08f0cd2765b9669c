import type { CallContext, Principal } from '../../../runtime/context.ts'
import type { Reply } from '../../../runtime/route.ts'
import type { Stored } from '../../ports/store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import type { TokenClaims } from '../tokens/registry-tokens.ts'

/** The bytes of a body. */
export type Body = ReadableStream<Uint8Array<ArrayBuffer>>

/** An answer of the plane. */
export type PlaneReply = Reply<
  number,
  Body | Uint8Array<ArrayBuffer> | undefined,
  Readonly<Record<string, string>> | undefined
>

/** The result of the authentication of a request: the claims of its token, or the fault for which it has none. */
export class TokenHolder implements Principal {
  /** Empty for an anonymous caller. */
  readonly id: string
  readonly kind: Principal['kind']
  readonly claims: TokenClaims | 'missing' | 'invalid'
  /** The repository from which the request mounts a blob; empty for other requests. */
  readonly source: string

  constructor(claims: TokenHolder['claims'], source: string, kind: Principal['kind'] = 'user') {
    this.source = source
    this.id = typeof claims === 'string' ? '' : claims.principalId
    this.kind = kind
    this.claims = claims
  }
}

/** Returns the context of a call whose principal is undefined for an anonymous caller. */
export const callerContext = (context: CallContext): CallContext =>
  context.principal?.id === '' ? { ...context, principal: undefined } : context

/** A call on a repository that the doors have allowed. */
export interface PlaneCall {
  /** The name of the repository in the path. */
  readonly name: string
  readonly repository: Stored<StoredRepository>
  /** The context of the caller. */
  readonly context: CallContext
  /** The claims of the token of the call. */
  readonly claims: TokenClaims
}

/** Returns the call that the doors of the plane have allowed. */
export function allowedCall({ handedOn }: CallContext): PlaneCall {
  if (handedOn === undefined || !('repository' in handedOn) || !('context' in handedOn))
    throw new Error('a call of the registry plane has no repository')
  // Only the doors of the plane hand on objects with these members.
  return handedOn as PlaneCall
}

/** The header with the digest of a manifest or blob. */
export const digestHeader = 'docker-content-digest'

/** Returns an answer with a JSON body. */
export const jsonReply = (value: object, headers: Readonly<Record<string, string>> = {}): PlaneReply => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  body: new TextEncoder().encode(JSON.stringify(value)),
})
