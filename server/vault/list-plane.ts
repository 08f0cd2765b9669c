import type { DataPlane } from '../../domain/ports/data-planes.ts'
import type { CurrentList } from '../../domain/vault/revoked/current-lists.ts'
import { rawBytes } from '../../runtime/body.ts'
import { bind } from '../../runtime/bind.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'
import type { Reply, Route } from '../../runtime/route.ts'
import { isRecord } from '../../runtime/validation.ts'

/** The names of the headers by which a client asks for a changed list. */
const [noneMatch, modifiedSince] = ['If-None-Match', 'If-Modified-Since'] as const

/** The request of a list. */
interface ListRequest {
  readonly id: string
  readonly [noneMatch]?: string
  readonly [modifiedSince]?: string
}

type Headers = Readonly<Record<'etag' | 'last-modified' | 'cache-control', string>>

type ListReply = Reply<200 | 304, Uint8Array<ArrayBuffer> | undefined, Headers>

/** Returns a list by the id of its authority. Throws CA_NOT_FOUND and the errors of a signature. */
export type FindList = (id: string) => Promise<CurrentList>

/**
 * Returns the plane `/crl/<authority>.crl`: the revocation lists in DER for everyone, at the address that certificates
 * name (vault.md 4.5, RFC 2585). HEAD and conditional requests are answered as RFC 9110 demands.
 */
export function listPlane(domain: ErrorDomain, find: FindList): DataPlane {
  const headers = { etag: 'string', 'last-modified': 'string', 'cache-control': 'string' } as const
  const route: Route<ListRequest, ListReply> = {
    operationId: 'getPublicRevocationList',
    method: 'GET',
    path: ['/crl/', 'id', '.crl'],
    parameters: [
      { name: 'id', in: 'path', type: 'string' },
      { name: noneMatch, in: 'header', type: 'string' },
      { name: modifiedSince, in: 'header', type: 'string' },
    ],
    success: [
      { status: 200, type: 'application/pkix-crl', kind: rawBytes, headers },
      { status: 304, headers },
    ],
    replies: true,
    domain,
    access: { kind: 'public' },
    check: (request): request is ListRequest => isRecord(request),
  }
  return { prefix: '/crl', routes: [bind(route, async request => replyOf(request, await find(request.id)))] }
}

function replyOf(request: ListRequest, { der, list }: CurrentList): ListReply {
  const headers = {
    etag: `"${list.crl_number}"`,
    'last-modified': new Date(list.this_update_time).toUTCString(),
    'cache-control': 'public, max-age=300',
  }
  const isKnown = isKnownTo(request, headers, list.is_same_second)
  return isKnown ? { status: 304, headers } : { status: 200, headers, body: der }
}

/**
 * Whether the client has the list. The date counts only without tags (RFC 9110, 13.2.2), and only if it tells the list
 * from the list before.
 */
function isKnownTo(request: ListRequest, headers: Headers, isSameSecond: boolean): boolean {
  const { [modifiedSince]: since, [noneMatch]: tags } = request
  if (tags !== undefined)
    return tags.trim() === '*' || tags.split(',').some(tag => tag.trim().replace(/^W\//, '') === headers.etag)
  return since !== undefined && !isSameSecond && Date.parse(headers['last-modified']) <= Date.parse(since)
}
