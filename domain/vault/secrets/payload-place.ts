import type { Secret } from '../../../output/vault/types.ts'
import type { ItemPlace } from '../seal/item-place.ts'

/** Returns the place of the encrypted payload of a version. */
export const payloadPlace = (
  { id, workspace_id }: Pick<Secret, 'id' | 'workspace_id'>,
  version: string,
): ItemPlace => ({
  workspace: workspace_id,
  type: 'vault.secretVersions',
  id,
  version,
})
