import type { VaultEnvironment } from './environment.ts'
import { sealedOperations } from './seal/sealed-operations.ts'
import { sealCollections } from './seal/seal-store.ts'
import { secretCollection } from './secrets/secrets-store.ts'
import { payloadCollection, secretVersionCollection } from './secrets/secret-versions-store.ts'
import { agenda } from './work/agenda.ts'

/** The parts of the area of vault that need no setting. */
export const vault = {
  kinds: [],
  collections: [...sealCollections, agenda, payloadCollection, secretVersionCollection, secretCollection],
  built: {},
} as const

/** Throws VAULT_SEALED for a call that needs keys while the vault is sealed (conventions §4, step 4). */
export function admitCall({ keyring }: Pick<VaultEnvironment, 'keyring'>, operationId: string): void {
  if (sealedOperations.has(operationId)) keyring.requireUnsealed()
}
