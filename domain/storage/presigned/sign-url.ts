import type { PresignedUrl } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StorageEnvironment } from '../environment.ts'
import { encodeQuery, objectPath } from '../objects/object-path.ts'
import { signQuery } from './url-signature.ts'

/** The query parameters of the platform in presigned URLs. */
export const ownQuery = { maxLength: 'x-nf-max-length', principal: 'x-nf-principal' } as const

/** A URL that is to be signed. */
export interface UrlTerms {
  readonly method: 'GET' | 'PUT'
  readonly engine: string
  readonly bucket: string
  readonly object: string
  /** The id of the principal whose rights the use of the URL needs. */
  readonly principal: string
  readonly query: Readonly<Record<string, string>>
  /** The headers that the client must send, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly expiresSeconds: number
  readonly now: number
}

/** Returns a presigned URL. Throws ENGINE_UNAVAILABLE while the vault is sealed. */
export async function signUrl(
  { dataBaseUrl, keys }: Pick<StorageEnvironment, 'dataBaseUrl' | 'keys'>,
  terms: UrlTerms,
): Promise<PresignedUrl> {
  const { bucket, engine, expiresSeconds, headers, method, now, object, principal } = terms
  const base = new URL(dataBaseUrl())
  const path = objectPath(bucket, object)
  const query = await signQuery(
    { method, host: base.host, path, query: { ...terms.query, [ownQuery.principal]: principal }, headers },
    { key: await keys.current(now), engine, signedMs: now, expiresSeconds },
  )
  return {
    url: `${base.origin}${path}?${encodeQuery(query)}`,
    method: `STORAGE_HTTP_METHOD_${method}`,
    headers,
    expire_time: formatMillis(Math.floor(now / 1000) * 1000 + expiresSeconds * 1000),
    engine,
  }
}
