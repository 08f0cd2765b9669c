import type { CorsRule } from '../../../output/storage/types.ts'
import { splitTarget } from '../../../runtime/call.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../../../runtime/wire.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { Store } from '../../ports/store.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { dataPrefix } from '../objects/object-path.ts'

/**
 * Adds to the answers of a data plane the headers by which browsers let pages of other origins read them, after the
 * rules of the bucket in the path (Fetch standard, "CORS protocol"). Answers preflight requests. The first rule that
 * fits decides.
 */
export function withCors(store: Pick<Store, 'get'>, dispatch: Dispatch): Dispatch {
  return async request => {
    const { origin } = request.headers
    if (origin === undefined) return varied(await dispatch(request))
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const rule = await ruleFor(store, request, origin)
    if (isPreflight && rule) return { status: 204, headers: preflightHeaders(rule, origin, request) }
    const answer = await dispatch(request)
    if (rule) Object.assign(answer.headers, actualHeaders(rule, origin))
    return varied(answer)
  }
}

/**
 * Says that an answer depends on the origin. An answer to a request without an origin needs this too: a browser would
 * otherwise give a page of another origin a stored answer without the headers that the page needs.
 */
function varied(answer: WireAnswer): WireAnswer {
  answer.headers['vary'] = 'Origin'
  return answer
}

async function ruleFor(store: Pick<Store, 'get'>, request: WireRequest, origin: string): Promise<CorsRule | undefined> {
  const [path] = splitTarget(request.target)
  const [bucket = ''] = path.slice(dataPrefix.length + 1).split('/')
  // Without the store, the platform answers an error, as for a request without an origin.
  const stored = isUuid(bucket) ? await store.get(bucketCollection, bucket).catch(() => undefined) : undefined
  const wanted = request.headers['access-control-request-method'] ?? request.method
  const asked = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '')
  return stored?.value.cors_rules.find(
    ({ allowed_headers = [], allowed_methods, allowed_origins }) =>
      allowed_origins.some(pattern => fits(pattern, origin)) &&
      allowed_methods.some(method => method === wanted) &&
      asked.every(name => allowed_headers.some(pattern => fits(pattern.toLowerCase(), name))),
  )
}

/** Whether a text fits a pattern: an equal text, or one `*` for any characters. */
function fits(pattern: string, text: string): boolean {
  const [before = '', after] = pattern.split('*')
  if (after === undefined) return pattern === text
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
}

function preflightHeaders(rule: CorsRule, origin: string, { headers }: WireRequest): Record<string, string> {
  const asked = headers['access-control-request-headers']
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': rule.allowed_methods.join(', '),
    ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    'access-control-max-age': String(rule.max_age_seconds ?? 0),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  }
}

const actualHeaders = ({ expose_headers = [] }: CorsRule, origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  ...(expose_headers.length > 0 && { 'access-control-expose-headers': expose_headers.join(', ') }),
})
