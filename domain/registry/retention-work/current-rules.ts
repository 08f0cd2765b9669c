import type { RetentionPolicy, RetentionRule } from '../../../output/registry/types.ts'
import type { SortKey } from '../../../runtime/filter/types.ts'
import type { Reader } from '../../ports/store.ts'
import { isImmutable } from '../artifacts/tag-rules.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import type { RetentionRules } from '../retention/judge.ts'
import { retentionCollection } from '../retention/retention-store.ts'
import { matchesAny } from '../../resources/glob.ts'

/** The number of policies that one statement reads. */
const pageSize = 100

const byId = [{ field: { name: 'id', type: 'STRING', operators: [], sortable: true }, descending: false }] as const

/** The rules of a policy, and those of other policies that limit it. */
export interface CurrentRules {
  readonly policy: RetentionPolicy
  /** The policies whose KEEP rules count. */
  readonly keepers: readonly RetentionPolicy[]
  /** A text that changes with each change of these policies. */
  readonly revision: string
}

/** Returns the rules as they are now; undefined for a policy that was deleted. */
export async function currentRules(reader: Reader, id: string): Promise<CurrentRules | undefined> {
  const policy = (await reader.get(retentionCollection, id))?.value
  if (!policy) return undefined
  // Read first: a change between the two reads then shows as another revision.
  const revision = await revisionOf(reader, policy)
  const keepers: RetentionPolicy[] = []
  for await (const { value } of reader.each(retentionCollection, enabledBeside(policy)))
    if (value.id !== id) keepers.push(value)
  return { policy, keepers: [policy, ...keepers], revision }
}

const enabledBeside = ({ engine, workspace_id }: RetentionPolicy) => ({ workspace_id, engine, enabled: true })

/** Returns the text that changes with each change of a policy and of the enabled policies beside it; parses no policy. */
export async function revisionOf(reader: Reader, policy: RetentionPolicy): Promise<string> {
  const parts = [policy.etag]
  let after: readonly SortKey[] | undefined
  do {
    const query = { size: pageSize, filter: undefined, order: byId, after, now: 0 }
    const page = await reader.page(retentionCollection, query, enabledBeside(policy), { members: ['etag'] })
    for (const { id, members } of page.items) parts.push(`${id} ${members[0]}`)
    after = page.next
  } while (after !== undefined)
  return parts.join('\n')
}

const isAbout = ({ repository_patterns }: RetentionPolicy, { name }: Pick<StoredRepository, 'name'>): boolean =>
  matchesAny(repository_patterns, name)

/** Returns the rules for a repository at `nowMs`; undefined if the policy is not about the repository. */
export function rulesFor(
  { keepers, policy }: CurrentRules,
  repository: StoredRepository,
  nowMs: number,
): RetentionRules | undefined {
  if (!isAbout(policy, repository)) return undefined
  const keeping = keepers.filter(keeper => isAbout(keeper, repository)).flatMap(({ rules }) => rules.filter(keeps))
  return {
    deleting: policy.rules.filter(rule => !keeps(rule)),
    keeping,
    isImmutable: tag => isImmutable(repository, tag),
    nowMs,
  }
}

const keeps = ({ action }: RetentionRule): boolean => action === 'REGISTRY_RETENTION_ACTION_KEEP'
