import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { secretOf } from '../ingestion-configs/authorization-secret.ts'
import { ingestionConfigKind } from '../ingestion-configs/ingestion-config-kind.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import { referToSecret } from '../outbound/secret-reference.ts'

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
export const referToConfigSecret = (
  { functions }: Pick<ObservabilityEnvironment, 'functions'>,
  tx: Transaction,
  config: StoredIngestionConfig,
  before?: StoredIngestionConfig,
): Promise<void> =>
  referToSecret(
    functions.vault,
    tx,
    { type: ingestionConfigKind.type, id: config.id },
    {
      workspace: config.workspace_id,
      wanted: secretOf(config),
      used: before && secretOf(before),
      field: 'prometheus_scrape.authorization_secret_id',
    },
  )
