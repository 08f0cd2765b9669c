import { admitCall, vault } from '../../domain/vault/area.ts'
import type { VaultEnvironment } from '../../domain/vault/environment.ts'
import { Keyring } from '../../domain/vault/seal/keyring.ts'
import { vaultArea as generated, type VaultArea } from '../../output/vault/area.ts'
import type { VaultHandlers } from '../../output/vault/handlers.ts'
import type { AreaEnvironment, AreaModule } from '../area.ts'
import { areaInProgress, records } from '../area-in-progress.ts'
import { keyChangesOf } from './key-changes.ts'
import { vaultSettings } from './settings.ts'
import { unseal } from './unseal.ts'

type VaultParts = AreaEnvironment<VaultArea, never, never, typeof vaultSettings>

/** Returns the area of secrets, keys and capsules. Certificates and snapshots are not built yet. */
export const vaultArea = (): AreaModule => {
  // All members of the declaration get the same parts of one server, and share its keyring.
  const environments = new WeakMap<VaultParts, VaultEnvironment>()
  const environmentOf = (parts: VaultParts): VaultEnvironment => {
    const known = environments.get(parts)
    if (known) return known
    const made = environmentFrom(parts)
    environments.set(parts, made)
    return made
  }
  return areaInProgress<VaultArea, VaultHandlers, never, never, typeof vaultSettings>({
    generated,
    ...vault,
    isSecret: true,
    settings: vaultSettings,
    admit: parts => {
      const environment = environmentOf(parts)
      return ({ operationId }) => admitCall(environment, operationId)
    },
    open: parts => unseal(environmentOf(parts).keyring, parts),
    built: { ...records(generated.filters) },
  })
}

function environmentFrom(parts: VaultParts): VaultEnvironment {
  const keyring = new Keyring(parts.store)
  const changes = keyChangesOf(parts.guard?.feed)
  changes.listen({
    changed: key => keyring.forget(key.replace('workspaces/', '')),
    reset: () => keyring.forgetAll(),
  })
  return { ...parts, keyring, changes }
}
