/** A version or a delete marker of an object. */
export interface ModelVersion {
  readonly size: number
  readonly isMarker: boolean
  /** Whether it was written while versioning was not enabled. */
  readonly isNull: boolean
}

/** A lifecycle rule for things of any age. */
export interface ModelRule {
  readonly action: 'DELETE' | 'DELETE_NONCURRENT' | 'ABORT_INCOMPLETE_MULTIPART_UPLOAD'
  readonly prefix: string
  /** The number of newer versions that a version must have; 0: any. */
  readonly newer: number
}

interface ModelUpload {
  readonly object: string
  readonly parts: Map<number, number>
  state: 'ACTIVE' | 'COMPLETED' | 'ABORTED' | 'EXPIRED'
}

/** The naive model of a bucket: all versions of all names, newest first, and all uploads. */
export class BucketModel {
  versioning: 'DISABLED' | 'ENABLED' | 'SUSPENDED' = 'DISABLED'
  quotaBytes = 0
  quotaObjects = 0
  /** Whether a policy protects all versions. */
  isProtected = false
  rules: readonly ModelRule[] = []
  objects = new Map<string, readonly ModelVersion[]>()
  uploads = new Map<string, ModelUpload>()

  /** Returns a copy on which a change can be tried. */
  clone(): BucketModel {
    const copy = Object.assign(new BucketModel(), this)
    copy.objects = new Map(this.objects)
    copy.uploads = new Map([...this.uploads].map(([id, each]) => [id, { ...each, parts: new Map(each.parts) }]))
    return copy
  }

  of(name: string): readonly ModelVersion[] {
    return this.objects.get(name) ?? []
  }

  /** The bytes of all versions. */
  get bytes(): number {
    return [...this.objects.values()].flat().reduce((sum, { size }) => sum + size, 0)
  }

  /** The bytes of the parts of active uploads. */
  get incomplete(): number {
    return this.active.flatMap(([, { parts }]) => [...parts.values()]).reduce((sum, size) => sum + size, 0)
  }

  get held(): number {
    return this.bytes + this.incomplete
  }

  /** The number of versions, without markers. */
  get count(): number {
    return [...this.objects.values()].flat().filter(({ isMarker }) => !isMarker).length
  }

  get active() {
    return [...this.uploads].filter(([, { state }]) => state === 'ACTIVE')
  }

  /** The usage as the answer of a bucket has it. */
  get usage() {
    const latest = [...this.objects.values()].flatMap(([first]) => (first && !first.isMarker ? [first] : []))
    const current = latest.reduce((sum, { size }) => sum + size, 0)
    return {
      object_count: latest.length,
      version_count: this.count,
      bytes: this.bytes,
      noncurrent_bytes: this.bytes - current,
      incomplete_upload_bytes: this.incomplete,
    }
  }

  /** Writes a version; returns the reason of a refusal, if the version must not be written. */
  put(name: string, size: number, ifNoneMatch = false): string | undefined {
    const [latest] = this.of(name)
    if (ifNoneMatch && latest && !latest.isMarker) return 'OBJECT_ALREADY_EXISTS'
    return this.#putOnTop(name, { size, isMarker: false, isNull: this.versioning !== 'ENABLED' })
  }

  /** Deletes the latest version as a call without `version_id` does; returns the reason of a refusal. */
  delete(name: string): string | undefined {
    const [latest] = this.of(name)
    if (!latest || latest.isMarker) return 'OBJECT_NOT_FOUND'
    if (this.versioning === 'DISABLED') return this.deleteAt(name, 0)
    return this.#putOnTop(name, { size: 0, isMarker: true, isNull: this.versioning !== 'ENABLED' })
  }

  /** Deletes the version at an index, counted from the newest; returns the reason of a refusal. */
  deleteAt(name: string, index: number): string | undefined {
    const version = this.of(name)[index]
    if (!version) return 'OBJECT_VERSION_NOT_FOUND'
    if (this.isProtected && !version.isMarker) return 'OBJECT_RETAINED'
    this.#set(
      name,
      this.of(name).filter((_, i) => i !== index),
    )
    return undefined
  }

  /** Puts a part in place of the part with its number; returns the reason of a refusal. */
  putPart(id: string, number: number, size: number): string | undefined {
    const upload = this.uploads.get(id)
    if (upload?.state !== 'ACTIVE') return 'UPLOAD_NOT_ACTIVE'
    upload.parts.set(number, size)
    return undefined
  }

  /** Completes an upload with one of its parts; returns the reason of a refusal. */
  complete(id: string, number: number): string | undefined {
    const upload = this.uploads.get(id)
    if (upload?.state !== 'ACTIVE') return 'UPLOAD_NOT_ACTIVE'
    const size = upload.parts.get(number)
    if (size === undefined) return 'PART_MISSING'
    upload.state = 'COMPLETED'
    return this.put(upload.object, size)
  }

  /** Aborts an upload; returns the reason of a refusal. */
  abort(id: string): string | undefined {
    const upload = this.uploads.get(id)
    if (upload?.state === 'COMPLETED') return 'UPLOAD_NOT_ACTIVE'
    if (upload?.state !== 'ACTIVE') return 'UPLOAD_NOT_FOUND'
    upload.state = 'ABORTED'
    return undefined
  }

  /** Runs all lifecycle rules in their order. */
  runRules(): void {
    for (const rule of this.rules) this.#run(rule)
  }

  #run({ action, newer, prefix }: ModelRule): void {
    const names = [...this.objects.keys()].filter(name => name.startsWith(prefix))
    if (action === 'DELETE') for (const name of names) this.#expire(name)
    else if (action === 'DELETE_NONCURRENT') for (const name of names) this.#expireNoncurrent(name, newer)
    else for (const [, upload] of this.active) if (upload.object.startsWith(prefix)) upload.state = 'EXPIRED'
  }

  #expire(name: string): void {
    const [latest, ...others] = this.of(name)
    if (!latest?.isMarker) this.delete(name)
    else if (others.length === 0) this.#set(name, [])
  }

  #expireNoncurrent(name: string, newer: number): void {
    const kept = this.of(name).filter((version, index, all) => {
      const above = all.slice(0, index).filter(({ isMarker }) => !isMarker).length
      return index === 0 || above < newer || (this.isProtected && !version.isMarker)
    })
    this.#set(name, kept)
  }

  #putOnTop(name: string, version: ModelVersion): string | undefined {
    const replaced = version.isNull ? this.of(name).find(({ isNull }) => isNull) : undefined
    if (replaced && !replaced.isMarker && this.isProtected) return 'OBJECT_RETAINED'
    this.#set(name, [version, ...this.of(name).filter(each => each !== replaced)])
    return undefined
  }

  #set(name: string, versions: readonly ModelVersion[]): void {
    if (versions.length === 0) this.objects.delete(name)
    else this.objects.set(name, versions)
  }
}
