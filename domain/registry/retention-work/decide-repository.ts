import type { Reader } from '../../ports/store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { decide, type Decided } from '../retention/decide.ts'
import type { RetentionRules } from '../retention/judge.ts'
import { inSlices } from '../retention/steps.ts'
import { rulesFor, type CurrentRules } from './current-rules.ts'
import { readFacts } from './read-facts.ts'

/** The decisions about a repository. */
export interface RepositoryDecisions extends Decided {
  /** The number of artifacts. */
  readonly examined: number
  readonly rules: RetentionRules
}

/**
 * Decides about a repository at `nowMs`; undefined if the policy is not about it, or if it is being deleted. Throws the
 * reason of an aborted signal.
 */
export async function decideRepository(
  reader: Reader,
  current: CurrentRules,
  id: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<RepositoryDecisions | undefined> {
  const repository = (await reader.get(repositoryCollection, id))?.value
  if (!repository || repository.state === 'REGISTRY_REPOSITORY_STATE_DELETING') return undefined
  const rules = rulesFor(current, repository, nowMs)
  if (!rules) return undefined
  const artifacts = await readFacts(reader, id, nowMs, signal)
  return { ...(await inSlices(decide(artifacts, rules), signal)), examined: artifacts.length, rules }
}
