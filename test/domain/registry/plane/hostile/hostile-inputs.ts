import { digestOf } from '../../oci-client.ts'

const zeros = '0'.repeat(64)

/** Names of repositories in paths, percent-encoded as far as a path needs it. */
export const hostileNames: readonly string[] = [
  '..',
  '.',
  '%2e%2e/%2e%2e/etc/passwd',
  'acme/web/../first',
  'acme//web/first',
  'acme/web/first/',
  '/acme/web/first',
  'ACME/web/first',
  'acme/web/FIRST',
  'acme/web/fir%20st',
  'acme/web/fir+st',
  'acme/web/first%2f..%2ffirst',
  'acme/web/first%00',
  'acme/web/%ff%fe',
  'acme/web/%ed%a0%80',
  'acme/web/%f0%9f%90%99',
  'acme/web/%c3%a9',
  `acme/web/${'a'.repeat(129)}`,
  'a/'.repeat(1000),
  `acme/web/${'-'.repeat(200)}a`,
  'acme/web/a__b___c',
  "acme/web/x'--",
  'acme/web/*',
  'acme/web/first:v1',
  'acme/web/first@sha256',
  '_token/x',
  '_catalog/x',
  '00000000-0000-0000-0000-000000000000/first',
  'manifests/manifests/manifests',
  'blobs/uploads/blobs',
]

/** References of manifests and digests of blobs in paths. */
export const hostileReferences: readonly string[] = [
  'v1%00',
  'v1%0a',
  'v%2f1',
  '-v1',
  '.v1',
  '..',
  'a'.repeat(129),
  'a'.repeat(5000),
  '%f0%9f%90%99',
  '%ff',
  '%20',
  'sha256:',
  'sha256:x',
  `sha256:${zeros}0`,
  `sha256:${zeros.slice(1)}`,
  `sha256:${'A'.repeat(64)}`,
  `SHA256:${zeros}`,
  `sha512:${zeros}`,
  `md5:${'0'.repeat(32)}`,
  `sha256:sha256:${zeros}`,
  `sha256:${'%2e%2e%2f'.repeat(7)}0`,
  `sha256+b64:${zeros}`,
  `sha256:${zeros}%00`,
  `__proto__:${zeros}`,
  `constructor:${zeros}`,
]

/** Queries of lists and of uploads. */
export const hostileQueries: readonly string[] = [
  '?n=-1',
  '?n=1e309',
  '?n=0x10',
  '?n=1.5',
  '?n=%20',
  '?n=',
  '?n=99999999999999999999',
  '?n=1&n=2',
  '?n[]=1',
  '?last=%00',
  '?last=%ff',
  '?last=%ed%a0%80',
  `?last=${'a'.repeat(5000)}`,
  '?last=../../first',
  '?last=a&last=b',
  '?artifactType=%00',
  '?artifactType=%ff',
  '?artifactType=a&artifactType=b',
  `?artifactType=${'a'.repeat(5000)}`,
  '?digest=sha256:x',
  '?digest=',
  `?digest=${digestOf('a')}&digest=${digestOf('b')}`,
  '?digest-algorithm=md5',
  '?digest-algorithm=__proto__',
  '?digest-algorithm=',
  '?mount=x',
  '?mount=&from=',
  `?mount=sha256:${zeros}&from=../../etc`,
  `?mount=sha256:${zeros}&from=%00`,
  `?mount=sha256:${zeros}&from=${'a/'.repeat(500)}a`,
  `?mount=sha256:${zeros}&from=acme/web/first&from=acme/web/other`,
  `?${Array.from({ length: 33 }, (_, i) => `tag=t${i}`).join('&')}`,
  '?tag=%00',
  '?tag=-',
  '?unknown=1',
  '?__proto__=1',
  '?&&&=&=',
  '?%zz=%zz',
  '?ns=%00',
]

/** Lines of headers, which replace nothing that the request has. */
export const hostileHeaders: readonly string[] = [
  'Range: bytes=0-0,2-3',
  'Range: bytes=-0',
  'Range: bytes=-99999999999999999999',
  'Range: bytes=99999999999999999999-',
  'Range: bytes=5-1',
  'Range: bytes=a-b',
  'Range: items=0-1',
  `Range: bytes=${'0-0,'.repeat(1000)}`,
  'Content-Range: 1-0',
  'Content-Range: 0-99999999999999999999',
  'Content-Range: bytes 0-1/*',
  'Content-Range: -1-2',
  'Content-Range: a',
  'Content-Type: application/json; charset=\u00e9',
  'Content-Type: ',
  `Content-Type: ${'a'.repeat(4000)}`,
  'Content-Encoding: gzip',
  'Accept: \u00ff',
  'Accept-Encoding: gzip;q=-1',
  'If-None-Match: "',
  'User-Agent: \u00ff\u00fe',
  'X-Forwarded-Host: evil.example',
  'X-Forwarded-Proto: javascript',
  'X-HTTP-Method-Override: DELETE',
  'Traceparent: 00-zz-zz-00',
  'Expect: 100-continue',
  'Connection: close, upgrade\r\nUpgrade: h2c',
]

/** Values of the header Authorization. */
export const hostileTokens: readonly string[] = [
  'Bearer',
  'Bearer ',
  'Bearer  x y',
  'Bearer \u00ff',
  'Bearer ..',
  `Bearer ${'a.'.repeat(2000)}`,
  'Basic !',
  'Basic Og==',
  'Basic dG9rZW46',
  `Basic ${'a'.repeat(4000)}`,
  'Negotiate x',
  'bearer null',
]

const image = 'application/vnd.oci.image.manifest.v1+json'
const index = 'application/vnd.oci.image.index.v1+json'
/** The media type of layers that a push may leave out. */
const foreign = 'application/vnd.oci.image.layer.nondistributable.v1.tar'
const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: `sha256:${zeros}`, size: 2 }
const imageOf = (more: object): string =>
  JSON.stringify({ schemaVersion: 2, mediaType: image, config, layers: [], ...more })
const indexOf = (manifests: unknown): string => JSON.stringify({ schemaVersion: 2, mediaType: index, manifests })

/** A manifest to push, with the media type under which it is pushed. */
export interface HostileManifest {
  readonly name: string
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

const descriptors = (count: number, mediaType: string): readonly object[] =>
  Array.from({ length: count }, (_, i) => ({ mediaType, digest: digestOf(String(i)), size: 1 }))

/** Manifests that the registry must refuse. */
export const hostileManifests: readonly HostileManifest[] = [
  { name: 'nothing', type: image, body: '' },
  { name: 'no JSON', type: image, body: 'x' },
  { name: 'a list', type: image, body: '[]' },
  { name: 'a number', type: image, body: '1e400' },
  { name: 'null', type: image, body: 'null' },
  { name: 'lists in lists', type: image, body: '['.repeat(1_000_000) },
  { name: 'objects in objects', type: image, body: '{"a":'.repeat(500_000) },
  {
    name: 'a deep annotation',
    type: image,
    body: imageOf({ deep: JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) }),
  },
  { name: 'a byte order mark', type: image, body: `\ufeff${imageOf({})}` },
  {
    name: 'invalid UTF-8',
    type: image,
    body: new Uint8Array(Buffer.from(`${imageOf({}).slice(0, -1)},"a":"\xff"}`, 'latin1')),
  },
  { name: 'a NUL', type: image, body: imageOf({ a: 'NUL' }).replace('NUL', '\0') },
  { name: 'UTF-16', type: image, body: new Uint8Array(Buffer.from(imageOf({}), 'utf16le')) },
  { name: 'a size of 1e400', type: image, body: imageOf({}).replace('"size":2', '"size":1e400') },
  { name: 'a negative size', type: image, body: imageOf({ config: { ...config, size: -1 } }) },
  { name: 'a size of half a byte', type: image, body: imageOf({ config: { ...config, size: 0.5 } }) },
  { name: 'a size as a text', type: image, body: imageOf({ config: { ...config, size: '2' } }) },
  { name: 'a size beyond safe numbers', type: image, body: imageOf({ config: { ...config, size: 2 ** 60 } }) },
  {
    name: 'sizes whose sum is not safe',
    type: image,
    body: imageOf({ layers: descriptors(3, foreign).map(one => ({ ...one, size: Number.MAX_SAFE_INTEGER })) }),
  },
  {
    name: 'the first of two layer lists',
    type: image,
    body: imageOf({}).replace('"layers":[]', '"layers":[],"layers":{}'),
  },
  {
    name: 'a member __proto__',
    type: image,
    body: imageOf({})
      .replace('{"schema', '{"__proto__":{"schemaVersion":2},"schema')
      .replace('"schemaVersion":2,"m', '"schemaVersion":1,"m'),
  },
  { name: 'schema version 1', type: image, body: imageOf({ schemaVersion: 1 }) },
  { name: 'a schema version as a text', type: image, body: imageOf({ schemaVersion: '2' }) },
  { name: 'another media type than its own', type: index, body: imageOf({}) },
  { name: 'an unknown media type', type: 'application/json', body: imageOf({ mediaType: 'application/json' }) },
  { name: 'both layers and manifests', type: image, body: imageOf({ manifests: [] }) },
  { name: 'layers that are no list', type: image, body: imageOf({ layers: { length: 1 } }) },
  { name: 'a layer of null', type: image, body: imageOf({ layers: [null] }) },
  {
    name: 'a digest with a path',
    type: image,
    body: imageOf({ layers: [{ mediaType: 'a/b', digest: 'sha256:../../x', size: 1 }] }),
  },
  { name: 'an annotation that is no text', type: image, body: imageOf({ annotations: { a: 1 } }) },
  { name: 'annotations as a list', type: image, body: imageOf({ annotations: [] }) },
  { name: 'data of another size', type: image, body: imageOf({ config: { ...config, data: 'AAAAAA==' } }) },
  { name: 'a subject of null', type: image, body: imageOf({ subject: null }) },
  {
    name: 'an artifact type of 100,000 characters',
    type: image,
    body: imageOf({ artifactType: `a/${'b'.repeat(100_000)}` }),
  },
  { name: 'an artifact type with a NUL', type: image, body: imageOf({ artifactType: 'a/b\0' }) },
  {
    name: 'an artifact type with half a character',
    type: image,
    body: imageOf({ artifactType: 'a/b' }).replace('a/b', 'a/\\ud800'),
  },
  {
    name: 'a media type with a line break',
    type: image,
    body: imageOf({ config: { ...config, mediaType: 'a/b\r\nx: y' } }),
  },
  { name: '4 MiB of absent manifests', type: index, body: indexOf(descriptors(27_500, image)) },
  { name: '4 MiB of absent layers', type: image, body: imageOf({ layers: descriptors(33_000, 'application/x') }) },
  { name: 'more than 4 MiB', type: image, body: imageOf({ a: 'x'.repeat(4 * 2 ** 20) }) },
]
