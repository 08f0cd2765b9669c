import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { Clock } from '../../ports/clock.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import { remove } from '../objects/delete-object.ts'
import { retainedUntil } from '../objects/retention.ts'
import type { VersionChanges } from '../objects/version-changes.ts'
import { nullVersion, versionCollection, type StoredVersion } from '../objects/versions-store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { isDue, removesNoncurrent, type Rule } from '../rules/due.ts'
import { NewerVersions } from './newer-versions.ts'
import type { Removed } from '../rules/runs-store.ts'

/** Decides which versions of a bucket a rule removes now, by the rows that a reader sees. */
export class Judge {
  readonly #reader: Reader
  readonly #bucket: StoredBucket
  readonly #rule: Rule
  readonly #nowMs: number
  readonly #newer: NewerVersions | undefined

  constructor(reader: Reader, bucket: StoredBucket, rule: Rule, nowMs: number) {
    this.#reader = reader
    this.#bucket = bucket
    this.#rule = rule
    this.#nowMs = nowMs
    const { num_newer_versions: count } = rule.condition
    this.#newer = count === undefined ? undefined : new NewerVersions(reader, bucket.id, count)
  }

  /**
   * Whether all members of the condition hold for a version, and the removal destroys no protected version. A latest
   * delete marker is removed once it hides nothing.
   */
  async removes(version: StoredVersion): Promise<boolean> {
    if (!isDue(this.#rule, version, this.#nowMs) || (await this.#isProtected(version))) return false
    if (version.is_latest && version.is_delete_marker) return !(await this.#hides(version))
    return this.#newer === undefined || this.#newer.areAbove(version)
  }

  async #isProtected(version: StoredVersion): Promise<boolean> {
    const { versioning } = this.#bucket
    if (removesNoncurrent(this.#rule) || versioning === 'STORAGE_VERSIONING_DISABLED') return this.#isRetained(version)
    // A delete marker destroys the null version at most.
    if (versioning === 'STORAGE_VERSIONING_ENABLED' || version.is_delete_marker) return false
    const replaced = await nullVersion(this.#reader, version)
    return replaced !== undefined && this.#isRetained(replaced.value)
  }

  #isRetained(version: StoredVersion): boolean {
    const until = retainedUntil(this.#bucket, version)
    return until !== undefined && until > this.#nowMs
  }

  #hides({ bucket_id, name }: StoredVersion): Promise<boolean> {
    return this.#reader.exists(versionCollection, { bucket_id, name, is_latest: false })
  }
}

/** The removal of some versions, with their number by kinds. */
export interface Removal extends Omit<Removed, 'uploads'> {
  /** Whether an object was deleted before the minimum storage duration of its class. */
  readonly isEarly: boolean
}

/** Removes those of some versions for which a rule is still due, as a caller would delete them (storage.md 4.8). */
export async function removeVersions(
  clock: Clock,
  tx: Transaction,
  changes: VersionChanges,
  rule: Rule,
  ids: readonly string[],
): Promise<Removal> {
  const now = clock.now()
  const judge = new Judge(tx, changes.bucket, rule, now)
  const removal = { objects: 0, noncurrent_versions: 0, delete_markers: 0, isEarly: false }
  for await (const found of inContentOrder(tx, ids)) {
    const { is_delete_marker, is_latest, version_id } = found.value
    if (!(await judge.removes(found.value))) continue
    const versionId = is_latest && !is_delete_marker ? '' : version_id
    const deletion = { versionId, markerId: clock.newId(), now, principalId: systemPrincipalId }
    const warnings = await remove(tx, changes, found, deletion)
    removal[is_delete_marker ? 'delete_markers' : is_latest ? 'objects' : 'noncurrent_versions'] += 1
    removal.isEarly ||= warnings.length > 0
  }
  return removal
}

/**
 * Iterates over the versions that still exist, in the order of the ids of their contents: all transactions lock contents
 * that buckets share in this order. Each version is read when its turn comes, because the removals before may change it.
 */
async function* inContentOrder(tx: Transaction, ids: Iterable<string>): AsyncGenerator<Stored<StoredVersion>> {
  const contents = new Map<string, string>()
  for (const id of ids) {
    const stored = await tx.get(versionCollection, id)
    if (stored) contents.set(id, stored.value.content_id)
  }
  for (const [id] of [...contents].sort(([, one], [, other]) => (one < other ? -1 : 1))) {
    const stored = await tx.get(versionCollection, id)
    if (stored) yield stored
  }
}
