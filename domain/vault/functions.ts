import type { Vault } from '../ports/vault.ts'
import { isAt } from '../resources/find-rows.ts'
import { addReference } from '../resources/references.ts'
import { readActivity } from './audit/read-activity.ts'
import type { VaultEnvironment } from './environment.ts'
import { requireSecret } from './secrets/find-version.ts'
import { readPayload } from './secrets/read-payload.ts'
import { isExpired } from './secrets/secret-expiry.ts'
import { secretKind } from './secrets/secret-kind.ts'
import { secretCollection } from './secrets/secrets-store.ts'

/** Returns the functions of the vault for other areas. */
export function vaultFunctions(environment: VaultEnvironment): Vault {
  const { accesses, clock, keyring, store, taxonomy } = environment
  return {
    get isSealed() {
      return keyring.isSealed
    },
    async readSecret(context, { engine, secret_id, version: name, workspace }) {
      keyring.requireUnsealed()
      const stored = await store.get(secretCollection, secret_id)
      const path = { workspace, engine, secret: secret_id }
      const { value: secret } = await requireSecret(store, taxonomy, path, stored, clock.now())
      const { bytes, version } = await readPayload(environment, secret, name)
      await accesses.record(readActivity(context, version.id, workspace))
      return { secret_id, version: version.value.id, bytes }
    },
    async useSecret(tx, { engine, secret_id: id, workspace }, holder) {
      const secret = (await tx.share(secretCollection, id))?.value
      if (!secret || !isAt(secret, { workspace, engine }) || isExpired(secret, clock.now())) return false
      await addReference(tx, { type: secretKind.type, id }, holder)
      return true
    },
    wrap: (purpose, bytes) => keyring.wrapPlatform(purpose, bytes),
    unwrap: (purpose, wrapped) => keyring.unwrapPlatform(purpose, wrapped),
  }
}
