import type { RetentionRule } from '../../../../../output/registry/types.ts'
import type { RetentionRules } from '../../../../../domain/registry/retention/judge.ts'
import type { ArtifactFacts } from '../../../../../domain/registry/retention/match-rule.ts'

/** The time of the decisions of these tests, in milliseconds since 1970. */
export const nowMs = Date.parse('2026-06-01T00:00:00.000Z')

const dayMs = 86_400_000

/** Returns the facts of an image; `pushed` and `pulled` are ages in days. */
export function facts(
  digest: string,
  {
    pulled,
    pushed = 10,
    ...more
  }: Partial<Omit<ArtifactFacts, 'digest' | 'pushedMs' | 'pulledMs'>> & {
    readonly pushed?: number
    readonly pulled?: number
  } = {},
): ArtifactFacts {
  return {
    digest,
    kind: 'REGISTRY_ARTIFACT_KIND_IMAGE',
    tags: [],
    pushedMs: nowMs - pushed * dayMs,
    pulledMs: nowMs - (pulled ?? pushed) * dayMs,
    parents: [],
    subject: '',
    isLocked: false,
    ...more,
  }
}

const rule = (action: RetentionRule['action'], id: string, more: Partial<RetentionRule>): RetentionRule => ({
  id,
  action,
  tag_state: 'REGISTRY_TAG_STATE_ANY',
  tag_patterns: [],
  exclude_tag_patterns: [],
  kinds: [],
  ...more,
})

/** Returns a DELETE rule. */
export const deleting = (id: string, more: Partial<RetentionRule>): RetentionRule =>
  rule('REGISTRY_RETENTION_ACTION_DELETE', id, more)

/** Returns a KEEP rule. */
export const keeping = (id: string, more: Partial<RetentionRule>): RetentionRule =>
  rule('REGISTRY_RETENTION_ACTION_KEEP', id, more)

/** Returns the rules of a repository with some immutable tags. */
export const rules = (given: readonly RetentionRule[], immutable: readonly string[] = []): RetentionRules => ({
  deleting: given.filter(({ action }) => action === 'REGISTRY_RETENTION_ACTION_DELETE'),
  keeping: given.filter(({ action }) => action === 'REGISTRY_RETENTION_ACTION_KEEP'),
  isImmutable: tag => immutable.includes(tag),
  nowMs,
})
