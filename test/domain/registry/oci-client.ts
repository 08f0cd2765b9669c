import { createHash } from 'node:crypto'

/** An answer with its body. */
export interface OciAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The body as JSON; undefined for an empty body. */
  readonly json: unknown
}

/** The options of a call. */
export interface OciCall {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  /** A token in place of the one that the client gets by the challenge; empty for none. */
  readonly token?: string
}

/** A descriptor of a manifest. */
export interface SentDescriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly [member: string]: unknown
}

export const ociImage = 'application/vnd.oci.image.manifest.v1+json'
export const ociIndex = 'application/vnd.oci.image.index.v1+json'
const imageConfig = 'application/vnd.oci.image.config.v1+json'
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** Returns the digest of bytes. */
export const digestOf = (bytes: string | Uint8Array, algorithm: 'sha256' | 'sha512' = 'sha256'): string =>
  `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`

/** Returns the error code and the reason of an answer: `DENIED TAG_IMMUTABLE`. */
export function faultOf({ json, status }: OciAnswer): string {
  const errors: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'errors') : undefined
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : []
  if (typeof first !== 'object' || first === null) return String(status)
  const detail: unknown = Reflect.get(first, 'detail')
  const reason: unknown = typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'reason') : undefined
  return [status, Reflect.get(first, 'code'), reason].filter(part => part !== undefined).join(' ')
}

/** Returns all that an answer says, without the time and the id of the request, so that answers can be compared. */
export function toldBy({ bytes, headers, status }: OciAnswer): string {
  const fixed = [...headers].filter(([name]) => !['date', 'x-request-id', 'traceparent'].includes(name))
  return JSON.stringify([status, new TextDecoder().decode(bytes), fixed])
}

/**
 * The password of HTTP Basic at the token server, or a function that returns it before each call of the token server;
 * undefined for an anonymous client.
 */
export type Password = string | (() => Promise<string>) | undefined

/** A client of the registry that gets its tokens as Docker clients do: by the challenge of a refused call. */
export class OciClient {
  readonly #url: string
  readonly #password: Password
  readonly #fetch: typeof fetch
  readonly #tokens = new Map<string, string>()

  constructor(url: string, password?: Password, send: typeof fetch = fetch) {
    this.#url = url
    this.#password = password
    this.#fetch = send
  }

  /** Sends a call; the path may be that of a header `Location`. Repeats it once with a token if it needs one. */
  async send(path: string, call: OciCall = {}): Promise<OciAnswer> {
    const { method = 'GET' } = call
    const key = `${method === 'GET' || method === 'HEAD' ? 'pull' : method} ${/^\/v2\/(.*)\/(?:blobs|manifests|tags|referrers)\//.exec(path)?.[1] ?? ''}`
    const known = call.token ?? this.#tokens.get(key)
    const answer = await this.#once(path, call, known)
    if (answer.status !== 401 || call.token !== undefined) return answer
    const token = await this.#token(answer.headers.get('www-authenticate') ?? '')
    if (token === undefined) return answer
    this.#tokens.set(key, token)
    return this.#once(path, call, token)
  }

  /** Returns a token for scopes. */
  async token(...scopes: readonly string[]): Promise<string> {
    const query = new URLSearchParams(scopes.map(scope => ['scope', scope]))
    const answer = await this.#once(`/v2/_token?${query}`, { headers: await this.#basic() }, undefined)
    return String(Reflect.get(Object(answer.json), 'token'))
  }

  /** Forgets all tokens. */
  forget(): void {
    this.#tokens.clear()
  }

  /** Pushes a blob by one POST, and returns its descriptor. */
  async pushBlob(
    name: string,
    bytes: string | Uint8Array<ArrayBuffer>,
    mediaType = layerType,
  ): Promise<SentDescriptor> {
    const digest = digestOf(bytes)
    const answer = await this.send(`/v2/${name}/blobs/uploads/?digest=${digest}`, { method: 'POST', body: bytes })
    if (answer.status !== 201) throw new Error(`the blob is refused: ${faultOf(answer)}`)
    return { mediaType, digest, size: Buffer.byteLength(bytes) }
  }

  /** Pushes a manifest under a reference. */
  pushManifest(name: string, reference: string, manifest: object, type = ociImage): Promise<OciAnswer> {
    const headers = { 'content-type': type }
    const body = JSON.stringify(manifest)
    return this.send(`/v2/${name}/manifests/${reference}`, { method: 'PUT', headers, body })
  }

  /** Pushes an image of one layer with a text, and returns its digest. */
  async pushImage(name: string, reference: string, text: string, more: object = {}): Promise<string> {
    const manifest = await this.image(name, text, more)
    const answer = await this.pushManifest(name, reference, manifest)
    if (answer.status !== 201) throw new Error(`the manifest is refused: ${faultOf(answer)}`)
    return answer.headers.get('docker-content-digest') ?? ''
  }

  /** Pushes the blobs of an image, and returns its manifest. */
  async image(name: string, text: string, more: object = {}): Promise<object> {
    const layer = await this.pushBlob(name, text)
    const config = await this.pushBlob(
      name,
      JSON.stringify({ os: 'linux', architecture: 'amd64', created: '2026-01-02T03:04:05Z', note: text }),
      imageConfig,
    )
    return { schemaVersion: 2, mediaType: ociImage, config, layers: [layer], ...more }
  }

  async #basic(): Promise<Readonly<Record<string, string>>> {
    const given = this.#password
    if (given === undefined) return {}
    const password = typeof given === 'string' ? given : await given()
    return { authorization: `Basic ${Buffer.from(`token:${password}`).toString('base64')}` }
  }

  async #token(challenge: string): Promise<string | undefined> {
    const [, scope] = /scope="([^"]*)"/.exec(challenge) ?? []
    return /^Bearer realm="[^"]+\/v2\/_token"/.test(challenge)
      ? this.token(...(scope === undefined ? [] : [scope]))
      : undefined
  }

  async #once(path: string, { body, headers, method = 'GET' }: OciCall, token: string | undefined): Promise<OciAnswer> {
    const authorization = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }
    const response = await this.#fetch(new URL(path, this.#url), {
      method,
      headers: { ...authorization, ...headers },
      ...(body !== undefined && { body, duplex: 'half' }),
    })
    const bytes = await response.bytes()
    const isJson = response.headers.get('content-type')?.includes('json') === true && bytes.length > 0
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined,
    }
  }
}
