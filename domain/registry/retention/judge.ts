import type { RetentionRule } from '../../../output/registry/types.ts'
import { matchRule, type ArtifactFacts } from './match-rule.ts'
import type { MostRecent } from './most-recent.ts'
import type { Steps } from './steps.ts'

/** The rules that decide about a repository. */
export interface RetentionRules {
  /** The DELETE rules of the policy that is evaluated. */
  readonly deleting: readonly RetentionRule[]
  /** The KEEP rules of all policies that are enabled for the repository, and of the evaluated policy. */
  readonly keeping: readonly RetentionRule[]
  /** Whether the repository forbids that a tag moves or goes. */
  readonly isImmutable: (tag: string) => boolean
  /** The time of the evaluation, in milliseconds since 1970. */
  readonly nowMs: number
}

/** What becomes of an artifact that a DELETE rule matches. */
export interface Verdict {
  readonly outcome: 'DELETE' | 'UNTAG' | 'KEPT' | 'LOCKED' | 'IMMUTABLE'
  /** The id of the rule that decides. */
  readonly ruleId: string
  /** The tags that go: all tags of an artifact to delete, and the tags that are taken from an artifact that stays. */
  readonly tags: readonly string[]
  /**
   * What becomes of an artifact to delete if another artifact needs it: the tags that rules with patterns have matched go
   * without it.
   */
  readonly otherwise?: Verdict
}

/** What DELETE rules match of an artifact. */
interface Doomed {
  /** The first rule that matches the artifact at all. */
  readonly ruleId: string
  /** The first rule that matches the digest with all its tags; undefined if no rule does. */
  readonly wholeId: string | undefined
  /** The ids of the rules with patterns, by the tags that they match. */
  readonly tags: ReadonlyMap<string, string>
}

/** What KEEP rules match of an artifact. */
interface Kept {
  /** The first rule that keeps something; undefined if no rule does. */
  readonly ruleId: string | undefined
  /** Whether a rule without patterns keeps the digest with all its tags. */
  readonly isWhole: boolean
  readonly tags: ReadonlySet<string>
}

/**
 * Judges one artifact by the rules of its repository (registry.md 4.6), without regard to the artifacts that it belongs
 * to; undefined if no DELETE rule matches it. The unit of deletion is the digest with all its tags. A DELETE rule whose
 * patterns match some of the tags takes those alone; a KEEP rule whose patterns match a tag keeps the digest and that
 * tag; a lock keeps everything; an immutable tag keeps the digest and itself.
 */
export function* judge(artifact: ArtifactFacts, rules: RetentionRules, recent: MostRecent): Steps<Verdict | undefined> {
  const doomed = yield* doomedParts(artifact, rules)
  if (doomed === undefined) return undefined
  const { ruleId, wholeId } = doomed
  if (artifact.isLocked) return { outcome: 'LOCKED', ruleId, tags: [] }
  const kept = yield* keptParts(artifact, rules, recent)
  if (kept.isWhole && kept.ruleId !== undefined) return { outcome: 'KEPT', ruleId: kept.ruleId, tags: [] }
  const immutable = yield* immutableTags(artifact, rules)
  const going = [...doomed.tags].filter(([tag]) => !kept.tags.has(tag) && !immutable.has(tag))
  const untagged: Verdict | undefined = going[0] && {
    outcome: 'UNTAG',
    ruleId: going[0][1],
    tags: going.map(([tag]) => tag),
  }
  if (kept.ruleId !== undefined) return untagged ?? { outcome: 'KEPT', ruleId: kept.ruleId, tags: [] }
  if (wholeId === undefined || immutable.size > 0) return untagged ?? { outcome: 'IMMUTABLE', ruleId, tags: [] }
  const otherwise: Verdict = untagged ?? { outcome: 'KEPT', ruleId: wholeId, tags: [] }
  return { outcome: 'DELETE', ruleId: wholeId, tags: artifact.tags, otherwise }
}

function* doomedParts(artifact: ArtifactFacts, { deleting, nowMs }: RetentionRules): Steps<Doomed | undefined> {
  let ruleId: string | undefined
  let wholeId: string | undefined
  const tags = new Map<string, string>()
  for (const rule of deleting) {
    const match = yield* matchRule(rule, artifact, nowMs)
    if (match === undefined) continue
    ruleId ??= rule.id
    if (match.isWhole) wholeId ??= rule.id
    for (const tag of match.tags ?? []) if (!tags.has(tag)) tags.set(tag, rule.id)
  }
  return ruleId === undefined ? undefined : { ruleId, wholeId, tags }
}

function* keptParts(artifact: ArtifactFacts, { keeping, nowMs }: RetentionRules, recent: MostRecent): Steps<Kept> {
  let ruleId: string | undefined
  let isWhole = false
  const tags = new Set<string>()
  for (const rule of keeping) {
    if (recent.get(rule)?.has(artifact.digest) === false) continue
    const match = yield* matchRule(rule, artifact, nowMs)
    if (match === undefined) continue
    ruleId ??= rule.id
    if (match.tags === undefined) isWhole = true
    for (const tag of match.tags ?? []) tags.add(tag)
  }
  return { ruleId, isWhole, tags }
}

function* immutableTags({ tags }: ArtifactFacts, { isImmutable }: RetentionRules): Steps<ReadonlySet<string>> {
  const immutable = new Set<string>()
  for (const tag of tags) {
    yield
    if (isImmutable(tag)) immutable.add(tag)
  }
  return immutable
}
