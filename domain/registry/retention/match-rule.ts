import type { RetentionRule } from '../../../output/registry/types.ts'
import { parseDuration } from '../../../runtime/timestamps.ts'
import { matchesAny } from '../../resources/glob.ts'
import type { Steps } from './steps.ts'

/** The facts of an artifact that decide about its retention. Times are in milliseconds since 1970. */
export interface ArtifactFacts {
  readonly digest: string
  readonly kind: string
  /** The names of all its tags. */
  readonly tags: readonly string[]
  /** The time of the last push. */
  readonly pushedMs: number
  /** The time of the last pull; without a pull, that of the last push. */
  readonly pulledMs: number
  /** The digests of the indexes of its repository that list the artifact. */
  readonly parents: readonly string[]
  /** The digest of its subject; empty without a subject. The subject may be absent. */
  readonly subject: string
  /** Whether an active deployment lock protects the artifact. */
  readonly isLocked: boolean
}

/** The part of an artifact that a rule matches. */
export interface Match {
  /** Whether the rule matches the whole artifact: the digest with all its tags. */
  readonly isWhole: boolean
  /** The tags that the patterns of the rule match; undefined for a rule without patterns, which is about the whole. */
  readonly tags: readonly string[] | undefined
}

/**
 * Returns the part of an artifact that a rule matches at `nowMs`; undefined if a condition does not hold for the artifact
 * or for any of its tags. `keep_most_recent` compares artifacts with each other, and is not judged here.
 */
export function* matchRule(rule: RetentionRule, artifact: ArtifactFacts, nowMs: number): Steps<Match | undefined> {
  yield
  if (!holds(rule, artifact, nowMs)) return undefined
  const { exclude_tag_patterns: excluded, tag_patterns: wanted } = rule
  if (wanted.length === 0 && excluded.length === 0) return { isWhole: true, tags: undefined }
  // An artifact without tags has no tag that a pattern leaves alone, and no tag that a pattern wants.
  if (artifact.tags.length === 0) return wanted.length === 0 ? { isWhole: true, tags: [] } : undefined
  const tags: string[] = []
  for (const tag of artifact.tags) {
    yield
    if ((wanted.length === 0 || matchesAny(wanted, tag)) && !matchesAny(excluded, tag)) tags.push(tag)
  }
  return tags.length === 0 ? undefined : { isWhole: tags.length === artifact.tags.length, tags }
}

/** Whether the conditions about the artifact itself hold: the presence of tags, the kind and the ages. */
function holds(rule: RetentionRule, artifact: ArtifactFacts, nowMs: number): boolean {
  const { kind, pulledMs, pushedMs, tags } = artifact
  if (rule.tag_state === 'REGISTRY_TAG_STATE_TAGGED' && tags.length === 0) return false
  if (rule.tag_state === 'REGISTRY_TAG_STATE_UNTAGGED' && tags.length > 0) return false
  if (rule.kinds.length > 0 && !rule.kinds.some(each => each === kind)) return false
  return (
    isOlder(nowMs - pushedMs, rule.pushed_before) &&
    isNotOlder(nowMs - pushedMs, rule.pushed_within) &&
    isOlder(nowMs - pulledMs, rule.pulled_before) &&
    isNotOlder(nowMs - pulledMs, rule.pulled_within)
  )
}

const isOlder = (ageMs: number, than: string | undefined): boolean => than === undefined || ageMs > millisOf(than)

const isNotOlder = (ageMs: number, than: string | undefined): boolean => than === undefined || ageMs <= millisOf(than)

/** Returns the milliseconds of a duration that the schema has accepted. */
const millisOf = (duration: string): number => Number(parseDuration(duration) ?? 0n) / 1e6
