import type { SigningKeys } from '../../domain/iam/sessions/signing-keys.ts'
import { bind } from '../../runtime/bind.ts'
import type { BoundRoute, Reply, Route } from '../../runtime/route.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

type KeySet = Awaited<ReturnType<SigningKeys['jwks']>>

/**
 * Returns the route `/.well-known/jwks.json`: the public halves of the keys that sign access tokens (RFC 7517, iam.md
 * 4.7).
 */
export function jwksRoute(domain: ErrorDomain, keys: SigningKeys): BoundRoute {
  const route: Route<object, Reply<200, KeySet, { readonly 'cache-control': string }>> = {
    operationId: 'jwks',
    method: 'GET',
    path: ['/.well-known/jwks.json'],
    success: [{ status: 200, type: 'application/json', kind: 'json', headers: { 'cache-control': 'string' } }],
    replies: true,
    domain,
    access: { kind: 'public' },
    check: (request): request is object => typeof request === 'object',
  }
  return bind(route, async () => ({
    status: 200,
    body: await keys.jwks(),
    headers: { 'cache-control': 'public, max-age=300' },
  }))
}
