import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../../../areas/random.ts'
import { uploadInChunks } from '../chunked-upload.ts'
import { digestOf, faultOf, OciClient, ociImage, type OciAnswer, type OciCall } from '../oci-client.ts'

/** The number of different layers, which the actors share. */
const layers = 8

/** The number of tags of an actor. */
const tags = 4

/** The dependencies of an actor. */
export interface ImageActing {
  /** The addresses of the servers. */
  readonly addresses: readonly string[]
  /** Returns the password of the token server. */
  readonly password: () => string
  /** The name of the actor's own repository, and of those from which it mounts. */
  readonly name: string
  readonly others: readonly string[]
  /** Called for each answered change. */
  readonly answered: () => void
}

/** A manifest that the registry has acknowledged. */
export interface KnownImage {
  readonly digest: string
  readonly blobs: readonly string[]
}

/**
 * An actor that pushes, mounts, reads and deletes images in its own repository, and repeats each call until a server
 * answers. So the registry must have exactly the images that the actor knows.
 */
export class ImageActor {
  readonly #acting: ImageActing
  readonly #random = seeded(performance.now())
  /** The acknowledged images, keyed by tag. */
  readonly known = new Map<string, KnownImage>()
  /** What contradicted an acknowledgement. */
  readonly faults: string[] = []
  #clients: readonly OciClient[] = []
  #at = 0
  #count = 0

  constructor(acting: ImageActing) {
    this.#acting = acting
    this.renew()
  }

  /** Makes clients with the present password. */
  renew(): void {
    this.#clients = this.#acting.addresses.map(address => new OciClient(address, this.#acting.password()))
  }

  async step(): Promise<void> {
    const choice = this.#random.below(10)
    const [tag] = this.known.keys()
    if (tag === undefined || choice < 6) return this.#push()
    return choice < 8 ? this.#delete(tag) : this.check(tag)
  }

  /** Reads an acknowledged image with all its blobs. */
  async check(tag: string): Promise<void> {
    const image = this.known.get(tag)
    if (image) await this.read(tag, image)
  }

  /** Reads an image by a tag or its digest, with all its blobs. */
  async read(reference: string, { blobs, digest: expected }: KnownImage): Promise<void> {
    const manifest = await this.send(`/manifests/${reference}`)
    if (manifest.headers.get('docker-content-digest') !== expected)
      this.faults.push(`${this.#acting.name}:${reference} is ${faultOf(manifest)}, not ${expected}`)
    for (const digest of blobs) {
      const blob = await this.send(`/blobs/${digest}`)
      if (digestOf(blob.bytes) !== digest) this.faults.push(`${this.#acting.name}/${digest} is ${faultOf(blob)}`)
    }
  }

  async #push(): Promise<void> {
    const tag = `t${this.#random.below(tags)}`
    const image = await this.push(tag)
    if (image) this.known.set(tag, image)
    this.#acting.answered()
  }

  /** Pushes an image of random layers, and returns it; undefined after a fault. */
  async push(tag: string): Promise<KnownImage | undefined> {
    const note = `${this.#acting.name} ${process.pid} ${(this.#count += 1)}`
    const contents = Array.from({ length: 1 + this.#random.below(3) }, () => `layer ${this.#random.below(layers)}`)
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const config = await this.#blob(JSON.stringify({ os: 'linux', architecture: 'amd64' }))
      const pushed = []
      for (const text of new Set(contents)) pushed.push(await this.#blob(text))
      const image = { schemaVersion: 2, mediaType: ociImage, config, layers: pushed, annotations: { note } }
      const body = JSON.stringify(image)
      const put = { method: 'PUT', headers: { 'content-type': ociImage }, body }
      const answer = await this.send(`/manifests/${tag}`, put)
      // Another actor's deletion may have let the last copy of a blob be collected before it was linked here.
      if (faultOf(answer).startsWith('404 MANIFEST_BLOB_UNKNOWN')) continue
      if (answer.status !== 201) this.faults.push(`the push of ${this.#acting.name}:${tag} is ${faultOf(answer)}`)
      return { digest: digestOf(body), blobs: [config.digest, ...pushed.map(({ digest }) => digest)] }
    }
    this.faults.push(`the blobs of ${this.#acting.name}:${tag} are lost again and again`)
    return undefined
  }

  async #blob(text: string) {
    const digest = digestOf(text)
    const descriptor = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size: text.length }
    const head = await this.send(`/blobs/${digest}`, { method: 'HEAD' })
    if (head.status === 200) return descriptor
    if (this.#random.percent(30)) {
      const mount = `/blobs/uploads/?mount=${digest}&from=${this.#random.oneOf(this.#acting.others)}`
      if ((await this.send(mount, { method: 'POST' })).status === 201) return descriptor
    }
    for (;;) {
      const answer = this.#random.percent(50)
        ? await this.#whole(text, digest)
        : await uploadInChunks((...call) => this.send(...call), this.#acting.name, text)
      if (answer.status === 201) return descriptor
      // A session whose answer was lost may have ended; the next attempt begins another one.
      if (answer.status !== 404 && answer.status !== 416) {
        this.faults.push(`the upload of ${digest} is ${faultOf(answer)}`)
        return descriptor
      }
    }
  }

  #whole(body: string, digest: string): Promise<OciAnswer> {
    return this.send(`/blobs/uploads/?digest=${digest}`, { method: 'POST', body })
  }

  async #delete(tag: string): Promise<void> {
    const image = this.known.get(tag)
    const answer = await this.send(`/manifests/${image?.digest}`, { method: 'DELETE' })
    if (answer.status !== 202 && answer.status !== 404)
      this.faults.push(`the deletion of ${this.#acting.name}:${tag} is ${faultOf(answer)}`)
    this.known.delete(tag)
    this.#acting.answered()
  }

  /** Sends a call to one server after the other, until one of them answers. */
  async send(path: string, call: OciCall = {}): Promise<OciAnswer> {
    const target = path.startsWith('/v2/') ? path : `/v2/${this.#acting.name}${path}`
    for (;;) {
      const client = this.#clients[this.#at % this.#clients.length]
      try {
        const answer = await client?.send(target, call)
        if (answer && answer.status < 500 && answer.status !== 401) return answer
        client?.forget()
      } catch {
        // The server was killed.
      }
      this.#at += 1
      await sleep(20)
    }
  }
}
