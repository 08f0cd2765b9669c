import { matchesGlob } from '../../../../domain/resources/glob.ts'

/** A manifest of the model. */
export interface ModelManifest {
  readonly digest: string
  readonly kind: 'IMAGE' | 'INDEX' | 'ARTIFACT'
  /** The bytes of the manifest. */
  readonly bytes: number
  /** The digests and sizes of its blobs. */
  readonly blobs: ReadonlyMap<string, number>
  readonly children: readonly string[]
  /** The digest of its subject; undefined without a subject. */
  readonly subject: string | undefined
  /** The texts of its layers. */
  readonly layers: readonly string[]
}

/** What the newest scan of an artifact has left in the model. */
export interface ModelScan {
  readonly state: 'SUCCEEDED' | 'FAILED' | 'UNSUPPORTED'
  /** The number of critical findings of the last scan that succeeded; undefined without one. */
  readonly critical: number | undefined
}

/** A deployment lock of the model. */
export interface ModelLock {
  readonly digest: string
  readonly protectsTags: boolean
  readonly digests: ReadonlySet<string>
  readonly tags: ReadonlySet<string>
}

/** A rule that denies everybody an action; without a pattern, whatever the tags are. */
export interface ModelDenial {
  readonly action: 'PUSH' | 'DELETE'
  readonly pattern: string | undefined
}

/** The naive model of a repository, whose changes return the reasons for which they may be refused. */
export class RepositoryModel {
  isImmutable = false
  exceptions: readonly string[] = []
  kinds: readonly string[] = []
  /** The largest number of artifacts; undefined without a limit of the tests. */
  mostArtifacts: number | undefined
  /** The sizes of its blobs, keyed by digest. */
  blobs = new Map<string, number>()
  artifacts = new Map<string, ModelManifest>()
  /** The digests, keyed by tag. */
  tags = new Map<string, string>()
  locks = new Map<string, ModelLock>()
  policies = new Map<string, ModelDenial>()
  /** The scans, keyed by digest. */
  scans = new Map<string, ModelScan>()

  /** Returns a copy on which a change can be tried. */
  clone(): RepositoryModel {
    const copy = Object.assign(new RepositoryModel(), this)
    copy.blobs = new Map(this.blobs)
    copy.artifacts = new Map(this.artifacts)
    copy.tags = new Map(this.tags)
    copy.locks = new Map(this.locks)
    copy.policies = new Map(this.policies)
    copy.scans = new Map(this.scans)
    return copy
  }

  get bytes(): number {
    const manifests = [...this.artifacts.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    return [...this.blobs.values()].reduce((sum, size) => sum + size, manifests)
  }

  tagsOf(digest: string): readonly string[] {
    return [...this.tags].filter(([, target]) => target === digest).map(([tag]) => tag)
  }

  /** Returns the digest that a tag or a digest names; undefined if there is none. */
  find(reference: string): string | undefined {
    const digest = this.tags.get(reference) ?? reference
    return this.artifacts.has(digest) ? digest : undefined
  }

  denies(action: ModelDenial['action'], tags: readonly string[] = []): boolean {
    return [...this.policies.values()].some(
      ({ action: denied, pattern }) =>
        denied === action && (pattern === undefined || tags.some(tag => matchesGlob(pattern, tag))),
    )
  }

  #named(blob: string): boolean {
    return [...this.artifacts.values()].some(({ blobs }) => blobs.has(blob))
  }

  #movable(tags: readonly string[]): readonly string[] {
    const isHeld = (tag: string) => [...this.locks.values()].some(lock => lock.tags.has(tag))
    return [
      ...(tags.some(tag => this.isFixed(tag)) ? ['TAG_IMMUTABLE'] : []),
      ...(tags.some(isHeld) ? ['ARTIFACT_LOCKED'] : []),
    ]
  }

  /** Puts a manifest with tags. */
  push(manifest: ModelManifest, tags: readonly string[]): readonly string[] {
    const { blobs, children, digest, kind } = manifest
    const moved = tags.filter(tag => (this.tags.get(tag) ?? digest) !== digest)
    const isKnown = this.artifacts.has(digest)
    const isMissing =
      ![...blobs.keys()].every(blob => this.blobs.has(blob)) || !children.every(child => this.artifacts.has(child))
    const isFull = !isKnown && this.mostArtifacts !== undefined && this.artifacts.size >= this.mostArtifacts
    const reasons = [
      ...(this.denies('PUSH', tags) ? ['IAM_PERMISSION_DENIED'] : []),
      ...(isFull ? ['QUOTA_EXCEEDED'] : []),
      ...(this.kinds.length > 0 && !this.kinds.includes(kind) ? ['ARTIFACT_KIND_NOT_ALLOWED'] : []),
      ...this.#movable(moved),
      ...(isMissing ? ['MANIFEST_BLOB_UNKNOWN'] : []),
    ]
    this.artifacts.set(digest, manifest)
    for (const tag of tags) this.tags.set(tag, digest)
    return reasons
  }

  /** Deletes an artifact with its tags, and the blobs that no other manifest names. */
  delete(reference: string, absent: string): readonly string[] {
    const digest = this.find(reference)
    const manifest = digest === undefined ? undefined : this.artifacts.get(digest)
    if (digest === undefined || !manifest) return [absent, ...(this.denies('DELETE') ? ['IAM_PERMISSION_DENIED'] : [])]
    const tags = this.tagsOf(digest)
    const reasons = [
      ...(this.denies('DELETE', tags) ? ['IAM_PERMISSION_DENIED'] : []),
      ...(this.isLocked(digest) ? ['ARTIFACT_LOCKED'] : []),
      ...([...this.artifacts.values()].some(({ children }) => children.includes(digest))
        ? ['ARTIFACT_REFERENCED']
        : []),
      ...this.#movable(tags),
    ]
    this.drop(manifest)
    return reasons
  }

  /** Takes an artifact away, with its tags, its scan, and the blobs that no other manifest names. */
  drop({ blobs, digest }: ModelManifest): void {
    for (const tag of this.tagsOf(digest)) this.tags.delete(tag)
    this.artifacts.delete(digest)
    this.scans.delete(digest)
    for (const blob of blobs.keys()) if (!this.#named(blob)) this.blobs.delete(blob)
  }

  untag(tag: string, absent: string): readonly string[] {
    const denied = this.denies('DELETE', [tag]) ? ['IAM_PERMISSION_DENIED'] : []
    return this.tags.delete(tag) ? [...denied, ...this.#movable([tag])] : [absent, ...denied]
  }

  deleteBlob(digest: string): readonly string[] {
    const reasons = this.denies('DELETE') ? ['IAM_PERMISSION_DENIED'] : []
    if (!this.blobs.delete(digest)) return [...reasons, 'BLOB_UNKNOWN']
    return [...reasons, ...(this.#named(digest) ? ['ARTIFACT_REFERENCED'] : [])]
  }

  /** Returns what a lock of a reference protects; undefined for an absent artifact. */
  lockOf(reference: string, withTags: boolean): ModelLock | undefined {
    const digest = this.find(reference)
    if (digest === undefined) return undefined
    const digests = this.withChildren(digest)
    return { digest, protectsTags: withTags, digests, tags: new Set(withTags ? this.tagsOf(digest) : []) }
  }

  /** Returns a digest, and those that it lists at any depth. */
  withChildren(digest: string): ReadonlySet<string> {
    const digests = new Set([digest])
    for (const each of digests) for (const child of this.artifacts.get(each)?.children ?? []) digests.add(child)
    return digests
  }

  /** Whether an active lock protects a digest. */
  isLocked(digest: string): boolean {
    return [...this.locks.values()].some(({ digests }) => digests.has(digest))
  }

  /** Whether the repository forbids that a tag moves or goes. */
  isFixed(tag: string): boolean {
    return this.isImmutable && !this.exceptions.some(glob => matchesGlob(glob, tag))
  }
}
