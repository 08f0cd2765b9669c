import type { CallContext } from '../../../runtime/context.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import { dropReference } from '../../resources/references.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { secretOf, secretPlace } from '../ingestion-configs/authorization-secret.ts'
import { ingestionConfigKind } from '../ingestion-configs/ingestion-config-kind.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'

/** The permission without which a caller cannot make the platform send a secret (conventions §12). */
const permission = 'vault.secretVersions.access'

/** Returns a function that throws IAM_PERMISSION_DENIED unless the caller may access the secrets of a workspace. */
export async function secretAccess(
  { access }: Pick<ObservabilityEnvironment, 'access'>,
  context: CallContext,
  workspace: string,
): Promise<() => void> {
  const scope = workspaceScope(workspace)
  const mayAccess = await access.holds(context, permission, scope)
  return () => {
    if (!mayAccess) throw permissionDenied(permission, scope)
  }
}

/**
 * Records that a config uses the secret that it names, and no longer the secret of the config before. Throws
 * FIELD_INVALID if the workspace has no such secret.
 */
export async function referToSecret(
  { functions }: Pick<ObservabilityEnvironment, 'functions'>,
  tx: Transaction,
  config: StoredIngestionConfig,
  before?: StoredIngestionConfig,
): Promise<void> {
  const [wanted, used] = [secretOf(config), before && secretOf(before)]
  if (wanted === used) return
  const holder = { type: ingestionConfigKind.type, id: config.id }
  if (used !== undefined) await dropReference(tx, { type: 'vault.secrets', id: used }, holder)
  if (wanted === undefined) return
  if (await functions.vault?.useSecret(tx, secretPlace(wanted, config.workspace_id), holder)) return
  const field = 'prometheus_scrape.authorization_secret_id'
  throw fieldInvalid([{ field, description: 'names no secret of the workspace' }])
}
