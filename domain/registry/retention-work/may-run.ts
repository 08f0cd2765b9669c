import type { RetentionPolicy } from '../../../output/registry/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** Whether retention may act in a workspace: neither ARCHIVED nor DELETING (registry.md 4.9). */
export async function isWorkspaceRetained(
  taxonomy: Pick<Taxonomy, 'effectiveState'>,
  reader: Reader,
  workspace: string,
): Promise<boolean> {
  const state = (await taxonomy.effectiveState(reader, workspaceScope(workspace)))?.state
  return state === 'ACTIVE' || state === 'SUSPENDED'
}

/**
 * Whether an evaluation may go on: a trial while its rules are those of the policy, a run while the policy is enabled,
 * and both while the workspace is neither archived nor deleted. `trialOf` is the etag of a trial.
 */
export const mayRun = async (
  taxonomy: Pick<Taxonomy, 'effectiveState'>,
  reader: Reader,
  { enabled, etag, workspace_id }: RetentionPolicy,
  trialOf: string | undefined,
): Promise<boolean> =>
  (trialOf === undefined ? enabled : etag === trialOf) && isWorkspaceRetained(taxonomy, reader, workspace_id)
