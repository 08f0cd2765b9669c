import { rescued } from './holders.ts'
import { judge, type RetentionRules, type Verdict } from './judge.ts'
import type { ArtifactFacts } from './match-rule.ts'
import { mostRecent, type MostRecent } from './most-recent.ts'
import type { Steps } from './steps.ts'

/** An artifact that a DELETE rule matches, and what becomes of it. */
export interface Decision extends Omit<Verdict, 'otherwise'> {
  readonly artifact: ArtifactFacts
}

/** The decisions about a repository. */
export interface Decided {
  /** A decision for each artifact that a DELETE rule matches. */
  readonly decisions: readonly Decision[]
  /** What rules with `keep_most_recent` keep. */
  readonly recent: MostRecent
}

/**
 * Decides about all artifacts of a repository (registry.md 4.6), in their order. An artifact is deleted only if none that
 * stays holds it, as its index or its
 * subject. Takes time in proportion to the artifacts, their tags and the rules.
 */
export function* decide(artifacts: readonly ArtifactFacts[], rules: RetentionRules): Steps<Decided> {
  const recent = yield* mostRecent(artifacts, rules.keeping, rules.nowMs)
  const judged: { readonly artifact: ArtifactFacts; readonly verdict: Verdict }[] = []
  const doomed = new Map<string, ArtifactFacts>()
  for (const artifact of artifacts) {
    const verdict = yield* judge(artifact, rules, recent)
    if (verdict === undefined) continue
    judged.push({ artifact, verdict })
    if (verdict.outcome === 'DELETE') doomed.set(artifact.digest, artifact)
  }
  const held = yield* rescued(artifacts, doomed)
  const decisions: Decision[] = []
  for (const { artifact, verdict } of judged) {
    yield
    const { outcome, ruleId, tags } = held.has(artifact.digest) ? (verdict.otherwise ?? verdict) : verdict
    decisions.push({ artifact, outcome, ruleId, tags })
  }
  return { decisions, recent }
}
