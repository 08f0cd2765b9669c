import { appendFileSync } from 'node:fs'
import type { StorageClient } from '../../../../output/storage/client.ts'
import type { StorageOperation } from '../../../../output/storage/types.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Make, Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import { shared, type Intent, type Sets } from '../../../server/killed/journal.ts'
import { digestOf, type DataCall } from './data-calls.ts'

/** The dependencies of an actor of objects. */
export interface ObjectActing {
  readonly client: StorageClient
  readonly data: DataCall
  readonly make: Make
  /** The prefix of the names of all objects that the actor writes. */
  readonly name: string
  readonly at: { readonly workspace: string; readonly engine: string }
  readonly buckets: readonly string[]
  readonly faults: string
}

/** An object of the actor; `content` is the digest of its content, and undefined without the object. */
interface KnownObject {
  readonly bucket: string
  readonly object: string
  content: string | undefined
}

/** The number of objects of an actor in each bucket. */
const objectsPerBucket = 4

const partBytes = 5 * 2 ** 20

/** Returns the name of an object in a journal. */
export const thingOf = (bucket: string, object: string): string => `${bucket}/${object}`

/**
 * An actor that sequentially uploads, copies, reads and deletes its objects, in one piece and in parts. The actor reports
 * every answer that contradicts an acknowledged change.
 */
export class ObjectActor implements Steps {
  readonly #parts: ObjectActing
  readonly #random = seeded(process.pid + performance.now())
  readonly #objects: readonly KnownObject[]
  #count = 0

  constructor(parts: ObjectActing) {
    this.#parts = parts
    this.#objects = parts.buckets.flatMap(bucket =>
      Array.from({ length: objectsPerBucket }, (_, i) => ({
        bucket,
        object: `${parts.name}/${i}`,
        content: undefined,
      })),
    )
  }

  step(): Promise<void> {
    const target = this.#random.oneOf(this.#objects)
    const full = this.#objects.filter(({ content }) => content !== undefined)
    const choice = this.#random.below(100)
    if (full.length === 0 || choice < 30) return this.#put(target)
    if (choice < 45) return this.#uploadInParts(target)
    if (choice < 50) return this.#putPassing(target)
    const source = this.#random.oneOf(full)
    if (choice < 70) return this.#copy(source, target)
    return choice < 85 ? this.#delete(source) : this.#read(source)
  }

  async #put(target: KnownObject): Promise<void> {
    const content = this.#content()
    const digest = digestOf(content)
    const sets = { content: digest }
    const intent = { ...this.#intent('UPDATE', target, sets), isWithoutOperation: true }
    const isDone = await this.#parts.make(intent, () => this.#sent(target, content))
    if (isDone) target.content = digest
  }

  /** Uploads an object that a lifecycle rule of the bucket deletes, so that its state is not known. */
  async #putPassing({ bucket }: KnownObject): Promise<void> {
    const passing = { bucket, object: `${shared}/${this.#parts.name}-${(this.#count += 1)}` }
    const intent = { ...this.#intent('UPDATE', undefined, {}), isWithoutOperation: true }
    await this.#parts.make(intent, () => this.#sent(passing, this.#content()))
  }

  async #sent({ bucket, object }: Pick<KnownObject, 'bucket' | 'object'>, content: Uint8Array<ArrayBuffer>) {
    const { at, client, data } = this.#parts
    const url = await client.createPresignedUploadUrl({ ...at, bucket, body: { object } })
    await accepted(await data(url, content))
    return { id: '', resource_id: '' }
  }

  /** Uploads one or two parts, and sometimes a part twice; then completes or aborts the upload. */
  async #uploadInParts(target: KnownObject): Promise<void> {
    const { at, client, make } = this.#parts
    const { bucket, object } = target
    const created = await make(this.#intent('CREATE', undefined, {}, 'multipartUploads'), options =>
      client.createMultipartUpload({ ...at, bucket, body: { object } }, options),
    )
    if (!created) return
    const upload_id = created.resource_id
    const last = this.#content()
    const contents = this.#random.percent(20) ? [this.#content(partBytes), last] : [last]
    if (this.#random.percent(20)) await this.#putPart(bucket, upload_id, 1, this.#content())
    const parts: { part_number: number; etag: string }[] = []
    for (const [at, content] of contents.entries())
      parts.push({ part_number: at + 1, etag: await this.#putPart(bucket, upload_id, at + 1, content) })
    if (this.#random.percent(20)) {
      await make(this.#intent('DELETE', undefined, {}, 'multipartUploads'), options =>
        client.abortMultipartUpload({ ...at, bucket, upload_id }, options),
      )
      return
    }
    const digest = digestOf(Buffer.concat(contents))
    const completed = await make(this.#intent('COMPLETE', target, { content: digest }), options =>
      client.completeMultipartUpload({ ...at, bucket, upload_id, body: { parts } }, options),
    )
    if (completed) target.content = digest
  }

  /** Uploads a part; returns its etag. */
  async #putPart(bucket: string, upload_id: string, number: number, content: Uint8Array<ArrayBuffer>): Promise<string> {
    const { at, client, data, make } = this.#parts
    let etag = ''
    const intent = { ...this.#intent('UPDATE', undefined, {}, 'parts'), isWithoutOperation: true }
    await make(intent, async () => {
      const body = { parts: [{ part_number: number }] }
      const { part_urls } = await client.createPartUrls({ ...at, bucket, upload_id, body })
      for (const url of part_urls) etag = (await accepted(await data(url, content))).headers.get('etag') ?? ''
      return { id: '', resource_id: '' }
    })
    return etag
  }

  /** Copies an object, and sometimes deletes the source before the copy has ended. */
  async #copy(source: KnownObject, target: KnownObject): Promise<void> {
    if (source === target) return this.#read(source)
    const { at, client, make } = this.#parts
    const { content } = source
    const body = { source_bucket_id: source.bucket, source_object: source.object, destination_object: target.object }
    const copied = await make<StorageOperation>(this.#intent('CREATE', target, { content: content ?? '' }), options =>
      client.copyObject({ ...at, bucket: target.bucket, body }, options),
    )
    if (!copied) return
    if (this.#random.percent(40)) await this.#delete(source)
    await this.#ended(copied)
    target.content = content
  }

  async #ended({ id }: StorageOperation): Promise<void> {
    for (;;) {
      const operation = await answered(() => this.#parts.client.getOperation({ id }))
      if (isEnded(operation)) return
      await sleep(20)
    }
  }

  async #delete(target: KnownObject): Promise<void> {
    const { at, client, make } = this.#parts
    const { bucket, object } = target
    const deleted = await make(this.#intent('DELETE', target, null), options =>
      client.deleteObject({ ...at, bucket, object }, options),
    )
    if (deleted) target.content = undefined
  }

  async #read({ bucket, content, object }: KnownObject): Promise<void> {
    const { at, client, data, faults } = this.#parts
    const url = await answered(() => client.createPresignedDownloadUrl({ ...at, bucket, body: { object } }))
    const answer = await data(url)
    // A response that a kill cuts off rejects above, so the body is whole.
    const found = answer.ok ? digestOf(await answer.bytes()) : `nothing (${answer.status})`
    if (found !== content) appendFileSync(faults, `${thingOf(bucket, object)} is ${found} and not ${content}\n`)
  }

  #intent(
    operationType: Intent['operationType'],
    target: KnownObject | undefined,
    sets: Sets,
    resourceType = 'objects',
  ): Intent {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    return { intent, operationType, resourceType, thing: target ? thingOf(target.bucket, target.object) : shared, sets }
  }

  #content(size = this.#random.below(100_000)): Uint8Array<ArrayBuffer> {
    const content = new Uint8Array(size)
    for (let i = 0; i < Math.min(size, 32); i += 1) content[i] = this.#random.below(256)
    return content
  }
}

/** Returns an accepted response; throws the error of another response. */
async function accepted(answer: Response): Promise<Response> {
  const text = await answer.text()
  if (answer.ok) return answer
  throw new ApiError({ reason: `${answer.status} ${text}`, rpc: 'INTERNAL', code: undefined, domain: undefined }, text)
}

/** Repeats a call without an operation until a server responds. */
async function answered<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof ApiError) || error.rpc !== 'UNAVAILABLE') throw error
      await sleep(50)
    }
  }
}
