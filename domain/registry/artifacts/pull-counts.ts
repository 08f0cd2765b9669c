import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { artifactCollection, rowOf } from './artifacts-store.ts'

/** The time between a pull and its storing, in milliseconds: statistics are at most 5 seconds late. */
const delayMs = 4000

/** The pulls of an artifact since the last storing. */
interface Pulls {
  count: number
  lastMs: number
}

/** The parts of the counts. */
interface PullParts {
  readonly store: Store
  /** Logs a failure; the counts are kept for the next storing. */
  readonly failed: (error: unknown, subject: string) => void
}

/** Counts the pulls of manifests, and stores the counts together (registry.md 4.8). A crash loses at most 5 seconds. */
export class PullCounts {
  readonly #parts: PullParts
  /** By the ids of repository and artifact. */
  #pending = new Map<string, Map<string, Pulls>>()
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> = Promise.resolve()

  constructor(parts: PullParts) {
    this.#parts = parts
  }

  /** Counts a pull at a time in milliseconds since 1970. */
  count(repository: string, digest: string, now: number): void {
    const ofRepository = this.#pending.get(repository) ?? new Map<string, Pulls>()
    this.#pending.set(repository, ofRepository)
    const pulls = ofRepository.get(digest) ?? { count: 0, lastMs: 0 }
    ofRepository.set(digest, pulls)
    pulls.count += 1
    pulls.lastMs = Math.max(pulls.lastMs, now)
    this.#timer ??= setTimeout(() => void this.store(), delayMs).unref()
  }

  /** Stores all counts. Never rejects. */
  store(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = this.#pending
    this.#pending = new Map()
    this.#storing = this.#storeAfter(this.#storing, counted)
    return this.#storing
  }

  async #storeAfter(before: Promise<void>, counted: ReadonlyMap<string, ReadonlyMap<string, Pulls>>): Promise<void> {
    await before
    for (const [repository, pulls] of counted) await this.#storeOf(repository, pulls)
  }

  async #storeOf(repository: string, pulls: ReadonlyMap<string, Pulls>): Promise<void> {
    try {
      await this.#parts.store.tx(tx => storePulls(tx, repository, pulls))
    } catch (error) {
      this.#parts.failed(error, `registry.repositories ${repository}`)
    }
  }
}

/** Adds counts to the rows of a repository and its artifacts. Rows that were deleted since need no counts. */
async function storePulls(tx: Transaction, repository: string, pulls: ReadonlyMap<string, Pulls>): Promise<void> {
  const stored = await tx.lock(repositoryCollection, repository)
  if (!stored) return
  const last_pull_time = formatMillis(Math.max(...[...pulls.values()].map(({ lastMs }) => lastMs)))
  await tx.update(repositoryCollection, repository, { ...stored.value, last_pull_time }, stored.version)
  for (const [digest, { count, lastMs }] of [...pulls].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const id = rowOf(repository, digest)
    const artifact = await tx.lock(artifactCollection, id)
    if (!artifact) continue
    const { pull_count } = artifact.value
    const next = { ...artifact.value, pull_count: pull_count + count, last_pull_time: formatMillis(lastMs) }
    await tx.update(artifactCollection, id, next, artifact.version)
  }
}
