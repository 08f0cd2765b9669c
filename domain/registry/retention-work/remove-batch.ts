import { systemActivity } from '../../ports/audit.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { artifactCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { deleteArtifact, untag } from '../artifacts/delete-artifact.ts'
import { tagCollection, tagId } from '../artifacts/tags-store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import type { Decision } from '../retention/decide.ts'
import { judge, type RetentionRules, type Verdict } from '../retention/judge.ts'
import type { ArtifactFacts } from '../retention/match-rule.ts'
import type { MostRecent } from '../retention/most-recent.ts'
import type { RemovedNumbers } from '../retention/retention-counts.ts'
import { atOnce } from '../retention/steps.ts'
import { counted, nothing, type Tally } from '../retention/tally.ts'
import { presentFacts } from './read-facts.ts'

/** The parts that removals use. */
export type Removing = Pick<RegistryEnvironment, 'audit' | 'clock' | 'collectionGraceMs'>

/**
 * The time after which a batch ends, in milliseconds: on SQLite, a transaction holds the event loop, and its commit takes
 * twice as long again, or longer if it writes the log back into the file.
 */
const longestMs = 2

/** The most tags that a batch takes from one artifact. */
const mostTags = 20

/** The decisions that a batch carries out, and the facts on which the decisions rest. */
export interface Batch {
  readonly decisions: readonly Decision[]
  readonly rules: RetentionRules
  readonly recent: MostRecent
  /** The digests that this batch and later ones are about to delete. */
  readonly waiting: ReadonlySet<string>
  /** The tags that earlier batches have taken from the first artifact, of which there were too many for one batch. */
  readonly taken: readonly string[]
}

/** The sums of a batch, which examine the deleted artifacts alone, and the numbers of removed artifacts and tags. */
export interface Removed extends RemovedNumbers {
  readonly tally: Tally
  /** The number of decisions that were carried out: the batch ends early if it lasts long. */
  readonly count: number
  /** The tags that were taken from the artifact of the next decision, which is not carried out yet. */
  readonly taken: readonly string[]
}

/**
 * Carries out decisions about a repository, whose row the transaction has locked. Each artifact is judged again by its
 * present row, because a tag may have moved, a lock may have been created, or the artifact may have been pulled meanwhile;
 * an artifact that an index lists or whose subject is present stays. Records an audit event and an activity of each
 * removal.
 */
export async function removeBatch(
  parts: Removing,
  tx: Transaction,
  repository: Stored<StoredRepository>,
  batch: Batch,
): Promise<Removed> {
  const seen = new Set<string>()
  const removed = { tally: nothing, artifacts: 0, tags: 0, count: 0, taken: batch.taken }
  const endMs = performance.now() + longestMs
  for (const { artifact } of batch.decisions) {
    if (removed.count > 0 && performance.now() > endMs) break
    const before = removed.taken
    removed.taken = []
    removed.count += 1
    const present = await tx.get(artifactCollection, rowOf(repository.id, artifact.digest))
    seen.add(artifact.digest)
    if (!present) continue
    const facts = await presentFacts(tx, present.value, batch.rules.nowMs)
    const isGoing = (digest: string): boolean => batch.waiting.has(digest) && !seen.has(digest)
    let verdict = await presentVerdict(tx, repository.id, { ...batch, artifact, facts, isGoing })
    if (!verdict) continue
    const removal = new Removal(parts, tx, repository, facts.digest)
    if (verdict.outcome === 'DELETE') {
      const { examined, reclaimable_bytes } = removed.tally
      const bytes = reclaimable_bytes + (await removal.delete())
      // A resumed run does not find the artifact again.
      removed.tally = { ...removed.tally, examined: examined + 1, reclaimable_bytes: bytes }
      removed.artifacts += 1
    } else if (verdict.outcome === 'UNTAG') {
      const tags = verdict.tags.slice(0, mostTags)
      for (const tag of tags) await removal.untag(tag)
      removed.tags += tags.length
      const taken = [...before, ...tags]
      if (tags.length < verdict.tags.length) return { ...removed, count: removed.count - 1, taken }
      verdict = { ...verdict, tags: taken }
    }
    removed.tally = counted(removed.tally, { artifact: facts, repository: repository.id, verdict }, true)
  }
  return removed
}

interface Present extends Pick<Batch, 'recent' | 'rules'> {
  /** The artifact as it was decided about. */
  readonly artifact: ArtifactFacts
  /** The artifact as it is now. */
  readonly facts: ArtifactFacts
  /** Whether an artifact is about to be deleted after this one. */
  readonly isGoing: (digest: string) => boolean
}

/** Returns what becomes of an artifact by its present row; undefined if no DELETE rule matches it any more. */
async function presentVerdict(
  tx: Transaction,
  repository: string,
  { artifact, facts, isGoing, recent, rules }: Present,
): Promise<Omit<Verdict, 'otherwise'> | undefined> {
  const verdict = atOnce(judge(facts, rules, recent))
  if (verdict === undefined || (verdict.outcome !== 'DELETE' && verdict.outcome !== 'UNTAG')) return verdict
  // A new push may make it one of the most recent artifacts; the next run decides.
  if (facts.pushedMs !== artifact.pushedMs) return { outcome: 'KEPT', ruleId: verdict.ruleId, tags: [] }
  const { otherwise, ...deletion } = verdict
  if (otherwise === undefined) return verdict
  const isHeld =
    facts.parents.length > 0 ||
    (facts.subject !== '' &&
      !isGoing(facts.subject) &&
      (await tx.exists(artifactCollection, { repository_id: repository, digest: facts.subject })))
  return isHeld ? otherwise : deletion
}

/** The removal of an artifact, or of tags of it, with its records. */
class Removal {
  readonly #parts: Removing
  readonly #tx: Transaction
  readonly #repository: Stored<StoredRepository>
  readonly #digest: string
  readonly #now: number

  constructor(parts: Removing, tx: Transaction, repository: Stored<StoredRepository>, digest: string) {
    this.#parts = parts
    this.#tx = tx
    this.#repository = repository
    this.#digest = digest
    this.#now = parts.clock.now()
  }

  /** Deletes the artifact with its tags, and returns the bytes of the blobs that no manifest names any more. */
  async delete(): Promise<number> {
    const artifact = await this.#tx.get(artifactCollection, rowOf(this.#repository.id, this.#digest))
    const locked = await this.#locked()
    if (!artifact || !locked) return 0
    const bytes = await deleteArtifact(this.#parts, this.#tx, locked, artifact.value, this.#now)
    await this.#record('registry.artifacts', artifact.id, { bytes: artifact.value.size_bytes })
    return bytes
  }

  async untag(name: string): Promise<void> {
    const tag = await this.#tx.get(tagCollection, tagId(this.#repository.id, name))
    const locked = await this.#locked()
    if (!tag || !locked) return
    await untag(this.#tx, locked, tag.value, this.#now)
    await this.#record('registry.tags', tag.id, { tag: name })
  }

  /** Returns the row of the repository, whose counts each removal changes. */
  #locked(): Promise<Stored<StoredRepository> | undefined> {
    return this.#tx.lock(repositoryCollection, this.#repository.id)
  }

  async #record(
    resourceType: 'registry.artifacts' | 'registry.tags',
    resourceId: string,
    more: { readonly tag?: string; readonly bytes?: number },
  ): Promise<void> {
    const { audit, clock } = this.#parts
    const { value: repository } = this.#repository
    const about = { workspace: repository.workspace_id, repository, digest: this.#digest, ...more }
    await recordAuditEvent(this.#tx, clock, undefined, { action: 'RETENTION_DELETE', ...about })
    const scope = workspaceScope(repository.workspace_id)
    const subject = { resourceType, resourceId, scope }
    await audit.recordActivity(
      this.#tx,
      systemActivity({ area: 'registry', action: 'registry.retention.delete', ...subject }),
    )
  }
}
