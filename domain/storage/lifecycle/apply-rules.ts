import type { LifecycleRule } from '../../../output/storage/types.ts'
import { earlyDelete } from '../../../output/storage/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { endUpload } from '../uploads/end-upload.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import { nativeEngine } from '../by-engine.ts'
import { canHold, endsUploads, isDueUpload, type Rule } from '../rules/due.ts'
import { isActive } from './active-bucket.ts'
import { applyRemoteRule, type RemoteApplying } from './remote-rule.ts'
import { Judge, removeVersions } from './remove-versions.ts'
import { nothingRemoved, noteRemoved, runCollection, takeRun, totalOf, type Removed } from './runs-store.ts'
import { uploadsFor, versionsFor } from './scans.ts'

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The number of versions or uploads that one transaction removes. */
const batchSize = 50

/** The parts that the work of lifecycle rules uses. */
export type Applying = RemoteApplying & Pick<StorageEnvironment, 'failed' | 'operations'>

/**
 * Applies the lifecycle rules of all buckets (storage.md 1). A run that has removed something from a bucket ends with one
 * operation of the bucket; the next run ends a run that a crash has cut off. A failure of one bucket does not prevent
 * the others.
 */
export async function applyAllRules(environment: Applying, turn: Turn): Promise<void> {
  const { failed, store } = environment
  for await (const { id, value } of store.each(runCollection))
    await turn.tx(tx => endRun(environment, tx, id, value.workspace_id))
  for await (const { id, value } of store.each(bucketCollection)) {
    if (turn.signal.aborted) return
    if (value.lifecycle_rules.length === 0) continue
    try {
      await applyRules(environment, turn, value)
    } catch (error) {
      if (turn.signal.aborted) return
      failed(error, `storage.buckets ${id}`)
    }
  }
}

async function applyRules(environment: Applying, turn: Turn, bucket: StoredBucket): Promise<void> {
  if (!(await isActive(environment.taxonomy, environment.store, bucket))) return
  for (const rule of bucket.lifecycle_rules) {
    if (!canHold(rule)) continue
    if (bucket.engine === nativeEngine) await new RuleRun(environment, turn, bucket, rule).run()
    else await applyRemoteRule(environment, turn, bucket, rule)
    if (turn.signal.aborted) return
  }
  if (await environment.store.exists(runCollection, { id: bucket.id }))
    await turn.tx(tx => endRun(environment, tx, bucket.id, bucket.workspace_id))
}

/** One rule of a bucket in one run. */
class RuleRun {
  readonly #environment: Applying
  readonly #turn: Turn
  readonly #bucket: StoredBucket
  readonly #rule: LifecycleRule
  /** The ids of due rows; a search in two orders finds the same row twice. */
  #ids = new Set<string>()

  constructor(environment: Applying, turn: Turn, bucket: StoredBucket, rule: LifecycleRule) {
    this.#environment = environment
    this.#turn = turn
    this.#bucket = bucket
    this.#rule = rule
  }

  /** Removes the due versions or uploads in batches, until no more are due or the rule may no longer act. */
  async run(): Promise<void> {
    for await (const ids of this.#due()) {
      if (this.#turn.signal.aborted) return
      for (const id of ids) this.#ids.add(id)
      // SQLite answers at once, so other work would wait for the whole search.
      await sleep(0)
      while (this.#ids.size >= batchSize) if (!(await this.#removeBatch())) return
    }
    if (this.#ids.size > 0) await this.#removeBatch()
  }

  async *#due(): AsyncGenerator<readonly string[], void, undefined> {
    const { clock, store } = this.#environment
    const now = clock.now()
    if (endsUploads(this.#rule)) {
      for await (const uploads of uploadsFor(store, this.#bucket, this.#rule, now))
        yield uploads.filter(({ value }) => isDueUpload(this.#rule, value, now)).map(({ id }) => id)
      return
    }
    const judge = new Judge(store, this.#bucket, this.#rule, now)
    for await (const versions of versionsFor(store, this.#bucket, this.#rule, now)) {
      const due: string[] = []
      for (const { id, value } of versions) if (await judge.removes(value)) due.push(id)
      yield due
    }
  }

  /** Removes a batch, and pauses for as long as that took; returns whether the rule may still act. */
  async #removeBatch(): Promise<boolean> {
    const ids = [...this.#ids].slice(0, batchSize)
    for (const id of ids) this.#ids.delete(id)
    const startedMs = performance.now()
    const removed = await this.#turn.tx(tx => removeBatch(this.#environment, tx, this.#bucket, this.#rule, ids))
    if (!removed) return false
    this.#environment.removed.add(removed)
    await sleep(performance.now() - startedMs)
    return true
  }
}

/** Removes a batch, and notes it in the row of the run; returns undefined if the rule may no longer act. */
async function removeBatch(
  environment: Applying,
  tx: Transaction,
  { id, workspace_id }: StoredBucket,
  { id: ruleId }: LifecycleRule,
  ids: readonly string[],
): Promise<Removed | undefined> {
  const { clock, taxonomy } = environment
  await taxonomy.share(tx, workspaceScope(workspace_id))
  const changes = await VersionChanges.find(tx, id, clock.now())
  if (!changes || !(await isActive(taxonomy, tx, changes.bucket))) return undefined
  // The rules may have changed since the search, and versions too; the present rows decide.
  const rule = changes.bucket.lifecycle_rules.find(each => each.id === ruleId)
  if (!rule) return undefined
  const { isEarly, ...removed } = endsUploads(rule)
    ? { ...nothingRemoved, uploads: await endUploads(environment, tx, changes, rule, ids), isEarly: false }
    : { uploads: 0, ...(await removeVersions(clock, tx, changes, rule, ids)) }
  if (totalOf(removed) === 0) return removed
  await changes.end(taxonomy)
  await noteRemoved(tx, { id, workspace_id, removed, is_early: isEarly })
  return removed
}

/** Ends those of some uploads that are still due; returns their number. */
async function endUploads(
  { clock }: Applying,
  tx: Transaction,
  changes: VersionChanges,
  rule: Rule,
  ids: readonly string[],
): Promise<number> {
  const now = clock.now()
  let count = 0
  for (const id of ids) {
    const upload = await tx.lock(uploadCollection, id)
    if (!upload || !isDueUpload(rule, upload.value, now)) continue
    await endUpload(tx, changes, upload, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED' }, now)
    count += 1
  }
  return count
}

/** Replaces the row of a run by the operation of its bucket, with one activity; a deleted bucket has no operation. */
async function endRun(
  { operations, taxonomy }: Applying,
  tx: Transaction,
  bucket: string,
  workspace: string,
): Promise<void> {
  const scope = workspaceScope(workspace)
  await taxonomy.share(tx, scope)
  const run = await takeRun(tx, bucket)
  if (!run || !(await tx.exists(bucketCollection, { id: bucket }))) return
  await operations.begin(tx, {
    type: 'UPDATE',
    resourceType: 'storage.buckets',
    resourceId: bucket,
    scope,
    changed: ['usage'],
    count: totalOf(run.removed),
    warnings: run.is_early ? [earlyWarning] : [],
  })
}

const earlyWarning = {
  code: earlyDelete.code,
  description: 'an object was deleted before the minimum storage duration of its class',
}
