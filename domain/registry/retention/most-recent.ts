import type { RetentionRule } from '../../../output/registry/types.ts'
import { matchRule, type ArtifactFacts } from './match-rule.ts'
import type { Steps } from './steps.ts'

/** The digests that rules with `keep_most_recent` keep; a rule without the member is no key. */
export type MostRecent = ReadonlyMap<RetentionRule, ReadonlySet<string>>

/**
 * Returns the artifacts of a repository that rules with `keep_most_recent` keep: of those for which the other conditions
 * hold, the ones that were pushed last. Of two pushes at one time, that of the lower digest counts as the later one.
 */
export function* mostRecent(
  artifacts: readonly ArtifactFacts[],
  rules: readonly RetentionRule[],
  nowMs: number,
): Steps<MostRecent> {
  const kept = new Map<RetentionRule, ReadonlySet<string>>()
  for (const rule of rules) {
    if (rule.keep_most_recent === undefined) continue
    const newest = new Newest(rule.keep_most_recent)
    for (const artifact of artifacts) if (yield* matchRule(rule, artifact, nowMs)) newest.add(artifact)
    kept.set(rule, newest.digests)
  }
  return kept
}

const isLater = (one: ArtifactFacts, other: ArtifactFacts): boolean =>
  one.pushedMs > other.pushedMs || (one.pushedMs === other.pushedMs && one.digest < other.digest)

/** The artifacts that were pushed last among all that were added, up to a number of them. */
class Newest {
  readonly #most: number
  /** The latest first. */
  readonly #artifacts: ArtifactFacts[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(artifact: ArtifactFacts): void {
    const last = this.#artifacts.at(-1)
    const isFull = this.#artifacts.length === this.#most
    if (isFull && last !== undefined && !isLater(artifact, last)) return
    if (isFull) this.#artifacts.pop()
    this.#artifacts.splice(this.#placeOf(artifact), 0, artifact)
  }

  get digests(): ReadonlySet<string> {
    return new Set(this.#artifacts.map(({ digest }) => digest))
  }

  /** Returns the number of artifacts that are later, by bisection. */
  #placeOf(artifact: ArtifactFacts): number {
    let from = 0
    let to = this.#artifacts.length
    while (from < to) {
      const middle = (from + to) >> 1
      const other = this.#artifacts[middle]
      if (other !== undefined && isLater(other, artifact)) from = middle + 1
      else to = middle
    }
    return from
  }
}
