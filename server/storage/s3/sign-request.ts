import type { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { encodeQuery, encodeSegment } from '../../../domain/storage/objects/object-path.ts'
import type { RemotePlace, RemoteRequest } from '../../../domain/storage/remote-store/remote-store.ts'

/** Returns a URL for one request. Its headers are signed as headers, since stores ignore checksums in parameters. */
export async function signRequest(
  client: S3Client,
  place: RemotePlace,
  { bucket, expiresSeconds, headers, method, object, query, signedMs }: RemoteRequest,
): Promise<string> {
  const base = new URL(place.endpoint)
  const name = object.split('/').map(encodeSegment).join('/')
  const hostname = place.forcePathStyle ? base.hostname : `${bucket}.${base.hostname}`
  const path = place.forcePathStyle ? `/${bucket}/${name}` : `/${name}`
  const { credentials, region, sha256 } = client.config
  const presigner = new S3RequestPresigner({ credentials, region, sha256 })
  const names = Object.keys(headers)
  const signed = await presigner.presign(
    {
      method,
      protocol: base.protocol,
      hostname,
      ...(base.port !== '' && { port: Number(base.port) }),
      path,
      query: { ...query },
      headers: { ...headers },
    },
    {
      expiresIn: expiresSeconds,
      signingDate: new Date(signedMs),
      signableHeaders: new Set([...names, 'host']),
      unhoistableHeaders: new Set(names),
    },
  )
  const parameters = Object.fromEntries(Object.entries(signed.query ?? {}).map(([key, value]) => [key, String(value)]))
  return `${base.protocol}//${hostname}${base.port === '' ? '' : `:${base.port}`}${path}?${encodeQuery(parameters)}`
}
