import type { RetentionRule } from '../../../../../output/registry/types.ts'
import type { ArtifactFacts } from '../../../../../domain/registry/retention/match-rule.ts'

/**
 * A second reading of the rules of retention (registry.md 4.6), written from their text without regard to time: what goes
 * of each artifact. `deleted` are digests, and `untagged` are pairs `digest tag` of artifacts that stay.
 */
export interface Gone {
  readonly deleted: ReadonlySet<string>
  readonly untagged: ReadonlySet<string>
}

interface Given {
  readonly artifacts: readonly ArtifactFacts[]
  readonly deleting: readonly RetentionRule[]
  readonly keeping: readonly RetentionRule[]
  readonly immutable: ReadonlySet<string>
  readonly nowMs: number
}

/** Returns what goes, by trying for each artifact every reason for which it may have to stay. */
export function naiveDecisions(given: Given): Gone {
  const { artifacts, immutable } = given
  const untaggable = (artifact: ArtifactFacts): readonly string[] =>
    artifact.isLocked || isKeptWhole(given, artifact)
      ? []
      : artifact.tags.filter(
          tag => isDeletedTag(given, artifact, tag) && !isKeptTag(given, artifact, tag) && !immutable.has(tag),
        )
  const wantsToDie = (artifact: ArtifactFacts): boolean =>
    isDeletedWhole(given, artifact) &&
    !artifact.isLocked &&
    !isKept(given, artifact) &&
    !artifact.tags.some(tag => immutable.has(tag))
  // Each artifact that stays keeps those that belong to it, until nothing changes any more.
  const staying = new Set(artifacts.filter(artifact => !wantsToDie(artifact)).map(({ digest }) => digest))
  for (let before = -1; before !== staying.size;) {
    before = staying.size
    for (const { digest, parents, subject } of artifacts)
      if (staying.has(subject) || parents.some(parent => staying.has(parent))) staying.add(digest)
  }
  return {
    deleted: new Set(artifacts.map(({ digest }) => digest).filter(digest => !staying.has(digest))),
    untagged: new Set(
      artifacts
        .filter(({ digest }) => staying.has(digest))
        .flatMap(artifact => untaggable(artifact).map(tag => `${artifact.digest} ${tag}`)),
    ),
  }
}

const hasPatterns = ({ exclude_tag_patterns, tag_patterns }: RetentionRule): boolean =>
  tag_patterns.length + exclude_tag_patterns.length > 0

/** A DELETE rule matches the digest with all its tags. */
const isDeletedWhole = ({ deleting, nowMs }: Given, artifact: ArtifactFacts): boolean =>
  deleting.some(
    rule =>
      fits(rule, artifact, nowMs) &&
      (artifact.tags.length === 0 ? rule.tag_patterns.length === 0 : artifact.tags.every(tag => named(rule, tag))),
  )

/** A DELETE rule with patterns matches this tag. */
const isDeletedTag = ({ deleting, nowMs }: Given, artifact: ArtifactFacts, tag: string): boolean =>
  deleting.some(rule => hasPatterns(rule) && fits(rule, artifact, nowMs) && named(rule, tag))

const isKept = (given: Given, artifact: ArtifactFacts): boolean =>
  given.keeping.some(rule => keeps(given, rule, artifact))

const isKeptWhole = (given: Given, artifact: ArtifactFacts): boolean =>
  given.keeping.some(rule => !hasPatterns(rule) && keeps(given, rule, artifact))

const isKeptTag = (given: Given, artifact: ArtifactFacts, tag: string): boolean =>
  given.keeping.some(rule => keeps(given, rule, artifact) && named(rule, tag))

function keeps({ artifacts, nowMs }: Given, rule: RetentionRule, artifact: ArtifactFacts): boolean {
  const applies = (one: ArtifactFacts): boolean =>
    fits(rule, one, nowMs) &&
    (one.tags.length === 0 ? rule.tag_patterns.length === 0 : one.tags.some(tag => named(rule, tag)))
  if (!applies(artifact)) return false
  if (rule.keep_most_recent === undefined) return true
  const later = artifacts.filter(
    other =>
      applies(other) &&
      (other.pushedMs > artifact.pushedMs || (other.pushedMs === artifact.pushedMs && other.digest < artifact.digest)),
  )
  return later.length < rule.keep_most_recent
}

/** The conditions about the artifact itself hold. */
function fits(rule: RetentionRule, { kind, pulledMs, pushedMs, tags }: ArtifactFacts, nowMs: number): boolean {
  const seconds = (duration: string): number => Number(duration.slice(0, -1))
  const [pushed, pulled] = [(nowMs - pushedMs) / 1000, (nowMs - pulledMs) / 1000]
  return [
    rule.tag_state !== 'REGISTRY_TAG_STATE_TAGGED' || tags.length > 0,
    rule.tag_state !== 'REGISTRY_TAG_STATE_UNTAGGED' || tags.length === 0,
    rule.kinds.length === 0 || rule.kinds.some(one => one === kind),
    rule.pushed_before === undefined || pushed > seconds(rule.pushed_before),
    rule.pushed_within === undefined || pushed <= seconds(rule.pushed_within),
    rule.pulled_before === undefined || pulled > seconds(rule.pulled_before),
    rule.pulled_within === undefined || pulled <= seconds(rule.pulled_within),
  ].every(Boolean)
}

/** The patterns of a rule name a tag, and none of the excluding ones does. */
const named = ({ exclude_tag_patterns, tag_patterns }: RetentionRule, tag: string): boolean =>
  (tag_patterns.length === 0 || tag_patterns.some(pattern => regex(pattern).test(tag))) &&
  !exclude_tag_patterns.some(pattern => regex(pattern).test(tag))

const regex = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`)
