import type { VaultEnvironment } from './environment.ts'
import { inspectVault } from './inspect.ts'
import { sealedOperations } from './seal/sealed-operations.ts'
import { sealCollections } from './seal/seal-store.ts'
import { secretKind } from './secrets/secret-kind.ts'
import { secretVersions } from './secrets/secret-versions.ts'
import { payloadCollection, secretVersionCollection } from './secrets/secret-versions-store.ts'
import { secretWork } from './secrets/secret-work.ts'
import { secrets } from './secrets/secrets.ts'
import { agenda, type AgendaHandlers } from './work/agenda.ts'

/** The parts of the area of vault that need no setting. */
export const vault = {
  kinds: [secretKind],
  collections: [...sealCollections, agenda, payloadCollection, secretVersionCollection],
  inspect: inspectVault,
} as const

/** The built resources of the area. */
export const vaultResources = { secrets, secretVersions } as const

/** Returns the due work of all resources. */
export const vaultWork = (environment: VaultEnvironment): AgendaHandlers => ({ ...secretWork(environment) })

/** Throws VAULT_SEALED for a call that needs keys while the vault is sealed (conventions §4, step 4). */
export function admitCall({ keyring }: Pick<VaultEnvironment, 'keyring'>, operationId: string): void {
  if (sealedOperations.has(operationId)) keyring.requireUnsealed()
}
