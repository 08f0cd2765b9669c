import { setTimeout as nextPoll } from 'node:timers/promises'
import type { Ninefold } from '../../../../output/client.ts'
import { fromStatus } from '../../../../runtime/status.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import type { LifecycleRuleInput, UpdateBucketRequest } from '../../../../output/storage/types.ts'
import type { Random } from '../../../areas/random.ts'
import { outcomeOf } from '../../outcomes.ts'
import { sendPatiently, signed } from '../patient-calls.ts'
import type { TenantStorage } from '../tenant-storage.ts'
import { BucketModel, type ModelRule } from './bucket-model.ts'

const names = ['a', 'a/b', 'b', 'logs/1', 'logs/2', 'tmp/x']
const prefixes = ['', 'a', 'logs/', 'tmp/', 'none']
const mostBuckets = 4
const mostUploads = 12

/** Random mutations of the buckets of a workspace, which a model makes too. */
export class StorageMutations {
  readonly buckets = new Map<string, BucketModel>()
  /** The number of calls with each outcome, keyed by `<call>: <OK or reason>`. */
  readonly outcomes = new Map<string, number>()
  /** The client of the calls; long runs replace it. */
  api: Ninefold
  readonly #tenant: TenantStorage
  readonly #random: Random
  readonly #limitBytes: number
  readonly #runRules: () => Promise<void>
  #made = 0

  constructor(
    tenant: TenantStorage,
    api: Ninefold,
    random: Random,
    { limitBytes, runRules }: { readonly limitBytes: number; readonly runRules: () => Promise<void> },
  ) {
    this.#tenant = tenant
    this.api = api
    this.#random = random
    this.#limitBytes = limitBytes
    this.#runRules = runRules
    this.buckets.set(tenant.at.bucket, new BucketModel())
  }

  /** The bytes that the workspace uses. */
  get held(): number {
    return [...this.buckets.values()].reduce((sum, { held }) => sum + held, 0)
  }

  /** Makes a random mutation. Throws if its outcome is not the outcome of the model. */
  async step(): Promise<void> {
    const [id, model] = this.#random.oneOf([...this.buckets])
    const choice = this.#random.below(100)
    if (choice < 30) return this.#put(id)
    if (choice < 40) return this.#delete(id)
    if (choice < 50) return this.#deleteVersion(id, model)
    if (choice < 60) return this.#copy(id)
    if (choice < 65) return this.#createUpload(id, model)
    if (choice < 75) return this.#putPart(id, model)
    if (choice < 80) return this.#complete(id, model)
    if (choice < 83) return this.#abort(id, model)
    if (choice < 93) return this.#patch(id)
    if (choice < 96) return this.#runAllRules()
    return choice < 98 ? this.#createBucket() : this.#deleteBucket(id, model)
  }

  get #storage() {
    return this.api.storage
  }

  #at(bucket: string) {
    return { ...this.#tenant.at, bucket }
  }

  /**
   * Tries a change on a copy of the model, with the quotas of the bucket and of the workspace, then makes the call. Of
   * several reasons of a refusal, the call may have any, because the order of checks has tests of its own.
   */
  async #make(
    call: string,
    bucket: string,
    change: (model: BucketModel) => string | undefined,
    run: () => Promise<unknown>,
  ): Promise<void> {
    const before = this.buckets.get(bucket)
    if (!before) throw new Error(`bucket ${bucket} is not in the model`)
    const after = before.clone()
    const refusal = change(after)
    const reasons = refusal === undefined ? [] : [refusal]
    if (this.#exceeds(before, after)) reasons.push('QUOTA_EXCEEDED')
    const expected = reasons.length === 0 ? ['OK'] : reasons
    const outcome = await outcomeOf(run())
    const key = `${call}: ${outcome}`
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1)
    if (!expected.includes(outcome)) throw new Error(`${key}, and the model has ${expected.join(' or ')}`)
    if (outcome === 'OK') this.buckets.set(bucket, after)
  }

  #exceeds(before: BucketModel, after: BucketModel): boolean {
    const { quotaBytes, quotaObjects } = before
    const more = after.held - before.held
    return (
      (quotaBytes > 0 && more > 0 && after.held > quotaBytes) ||
      (quotaObjects > 0 && after.count > before.count && after.count > quotaObjects) ||
      (more > 0 && this.held + more > this.#limitBytes)
    )
  }

  #content(): string {
    return 'x'.repeat(this.#random.below(60))
  }

  #put(bucket: string): Promise<void> {
    const [object, body] = [this.#random.oneOf(names), this.#content()]
    const isNew = this.#random.percent(20)
    return this.#make(
      'put',
      bucket,
      model => model.put(object, body.length, isNew),
      async () => {
        const asked = { object, ...(isNew && { if_none_match: '*' }) }
        const sign = () => this.#storage.createPresignedUploadUrl({ ...this.#at(bucket), body: asked })
        await this.#send(await signed(sign), body)
      },
    )
  }

  async #send(url: Parameters<TenantStorage['send']>[0], body: string): Promise<void> {
    const answer = await sendPatiently(this.#tenant, url, body)
    if (!answer.ok) throw fromStatus(answer, await answer.json())
    await answer.body?.cancel()
  }

  #delete(bucket: string): Promise<void> {
    const object = this.#random.oneOf(names)
    const run = () => this.#storage.deleteObject({ ...this.#at(bucket), object })
    return this.#make('delete', bucket, model => model.delete(object), run)
  }

  async #deleteVersion(bucket: string, model: BucketModel): Promise<void> {
    const object = this.#random.oneOf(names)
    const count = model.of(object).length
    if (count === 0) return
    const index = this.#random.below(count)
    const version_id = await this.#versionAt(bucket, object, index)
    const run = () => this.#storage.deleteObject({ ...this.#at(bucket), object, version_id })
    await this.#make('delete version', bucket, each => each.deleteAt(object, index), run)
  }

  async #versionAt(bucket: string, object: string, index: number): Promise<string> {
    const filter = `name = "${object}"`
    const { objects } = await this.#storage.listObjects({
      ...this.#at(bucket),
      versions: true,
      filter,
      page_size: 100,
    })
    return objects[index]?.version_id ?? ''
  }

  async #copy(bucket: string): Promise<void> {
    const [sourceId, source] = this.#random.oneOf([...this.buckets])
    const [source_object, destination_object] = [this.#random.oneOf(names), this.#random.oneOf(names)]
    const versions = source.of(source_object)
    const index = this.#random.percent(30) ? this.#random.below(Math.max(1, versions.length)) : 0
    const version = versions[index]
    if (index > 0 && version?.isMarker) return
    const source_version_id = index === 0 ? '' : await this.#versionAt(sourceId, source_object, index)
    const change = (model: BucketModel): string | undefined => {
      if (!version || version.isMarker) return 'OBJECT_NOT_FOUND'
      if (sourceId === bucket && source_object === destination_object && index === 0) return 'COPY_ONTO_ITSELF'
      return model.put(destination_object, version.size)
    }
    await this.#make('copy', bucket, change, () =>
      this.#storage.copyObject({
        ...this.#at(bucket),
        body: {
          source_bucket_id: sourceId,
          source_object,
          destination_object,
          ...(source_version_id !== '' && { source_version_id }),
        },
      }),
    )
  }

  async #createUpload(bucket: string, model: BucketModel): Promise<void> {
    if (model.active.length >= mostUploads) return
    const object = this.#random.oneOf(names)
    // A rule for uploads of any age lets new uploads expire at once, before a worker changes their state.
    const isOver = model.rules.some(
      ({ action, prefix }) => action === 'ABORT_INCOMPLETE_MULTIPART_UPLOAD' && object.startsWith(prefix),
    )
    if (isOver) return
    const { resource_id } = await this.#storage.createMultipartUpload({ ...this.#at(bucket), body: { object } })
    model.uploads.set(resource_id, { object, parts: new Map(), state: 'ACTIVE' })
  }

  async #putPart(bucket: string, model: BucketModel): Promise<void> {
    if (model.uploads.size === 0) return
    const [upload_id] = this.#random.oneOf([...model.uploads])
    const [part_number, body] = [1 + this.#random.below(3), this.#content()]
    await this.#make(
      'part',
      bucket,
      each => each.putPart(upload_id, part_number, body.length),
      async () => {
        const asked = { ...this.#at(bucket), upload_id, body: { parts: [{ part_number }] } }
        const { part_urls } = await signed(() => this.#storage.createPartUrls(asked))
        for (const url of part_urls) await this.#send(url, body)
      },
    )
  }

  async #complete(bucket: string, model: BucketModel): Promise<void> {
    // A completion of a completed upload with the same body returns its operation, which is no mutation.
    const uploads = [...model.uploads].filter(([, { state }]) => state !== 'COMPLETED')
    if (uploads.length === 0) return
    const [upload_id] = this.#random.oneOf(uploads)
    const part_number = 1 + this.#random.below(3)
    await this.#make(
      'complete',
      bucket,
      each => each.complete(upload_id, part_number),
      async () => {
        const filter = `id = "${upload_id}"`
        const view = 'STORAGE_VIEW_FULL'
        const found = await this.#storage.listMultipartUploads({ ...this.#at(bucket), view, filter })
        const parts = found.multipart_uploads[0]?.parts ?? []
        const etag = parts.find(part => part.part_number === part_number)?.etag ?? '0'.repeat(32)
        const body = { parts: [{ part_number, etag }] }
        await this.#storage.completeMultipartUpload({ ...this.#at(bucket), upload_id, body })
      },
    )
  }

  async #abort(bucket: string, model: BucketModel): Promise<void> {
    if (model.uploads.size === 0) return
    const [upload_id] = this.#random.oneOf([...model.uploads])
    const run = () => this.#storage.abortMultipartUpload({ ...this.#at(bucket), upload_id })
    await this.#make('abort', bucket, each => each.abort(upload_id), run)
  }

  #patch(bucket: string): Promise<void> {
    const id = bucket
    const update = (update_mask: string, body: UpdateBucketRequest['body']) => () =>
      this.#storage.updateBucket({ ...this.#at(bucket), id, update_mask, body })
    const choice = this.#random.below(4)
    if (choice === 0) {
      const next = this.#random.oneOf(['DISABLED', 'ENABLED', 'SUSPENDED'] as const)
      const change = (model: BucketModel): string | undefined => {
        if (next === 'DISABLED' && model.versioning !== 'DISABLED') return 'VERSIONING_TRANSITION_INVALID'
        model.versioning = next
        return undefined
      }
      return this.#make(
        'versioning',
        bucket,
        change,
        update('versioning', { versioning: `STORAGE_VERSIONING_${next}` }),
      )
    }
    if (choice === 1) {
      const [quota_bytes, quota_objects] = [this.#random.oneOf([0, 300, 900]), this.#random.oneOf([0, 6, 20])]
      const change = (model: BucketModel): undefined => {
        Object.assign(model, { quotaBytes: quota_bytes, quotaObjects: quota_objects })
      }
      return this.#make('quotas', bucket, change, update('quota_bytes,quota_objects', { quota_bytes, quota_objects }))
    }
    if (choice === 2) {
      const isProtected = this.#random.percent(25)
      const change = (model: BucketModel): undefined => void (model.isProtected = isProtected)
      const body = isProtected ? { retention_policy: { retention_period: '864000s' } } : {}
      return this.#make('policy', bucket, change, update('retention_policy', body))
    }
    const rules = this.#rules()
    const change = (model: BucketModel): undefined => void (model.rules = rules)
    return this.#make('rules', bucket, change, update('lifecycle_rules', { lifecycle_rules: rules.map(ruleBody) }))
  }

  #rules(): readonly ModelRule[] {
    return Array.from({ length: this.#random.below(3) }, () => ({
      action: this.#random.oneOf(['DELETE', 'DELETE_NONCURRENT', 'ABORT_INCOMPLETE_MULTIPART_UPLOAD'] as const),
      prefix: this.#random.oneOf(prefixes),
      newer: this.#random.below(3),
    }))
  }

  async #runAllRules(): Promise<void> {
    await this.#runRules()
    for (const model of this.buckets.values()) model.runRules()
  }

  async #createBucket(): Promise<void> {
    if (this.buckets.size >= mostBuckets) return
    const { workspace } = this.#tenant
    const body = { name: `bucket-${(this.#made += 1)}` }
    const { resource_id } = await this.#storage.createBucket({ workspace, engine: 'native', body })
    this.buckets.set(resource_id, new BucketModel())
  }

  async #deleteBucket(id: string, { active, count, isProtected, objects }: BucketModel): Promise<void> {
    if (this.buckets.size === 1) return
    const force = this.#random.percent(50)
    const refusal = force ? isProtected && count > 0 : objects.size + active.length > 0
    const reason = force ? 'OBJECT_RETAINED' : 'BUCKET_NOT_EMPTY'
    const run = async () => {
      const operation = await this.#storage.deleteBucket({ ...this.#at(id), id, force })
      for (let made = operation; !isEnded(made); made = await this.#storage.getOperation({ id: made.id }))
        await nextPoll(5)
    }
    await this.#make(force ? 'delete bucket by force' : 'delete bucket', id, () => (refusal ? reason : undefined), run)
    if (!refusal) this.buckets.delete(id)
  }
}

const ruleBody = ({ action, newer, prefix }: ModelRule, index: number): LifecycleRuleInput => ({
  id: `rule-${index}`,
  action: `STORAGE_LIFECYCLE_ACTION_${action}`,
  condition: {
    prefix,
    ...(action !== 'DELETE_NONCURRENT' && { age_days: 0 }),
    ...(action === 'DELETE_NONCURRENT' && (newer === 0 ? { noncurrent_age_days: 0 } : { num_newer_versions: newer })),
  },
})
