import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../server/config.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { vaultSettings } from '../../../server/vault/settings.ts'

/** Returns the settings of a server whose root key is the key for development in a data folder. */
export const keyIn = (dataDir: string, id = 'other'): Pick<Config, 'given' | 'isDev'> => ({
  isDev: false,
  given: new GivenSettings()
    .with(vaultSettings['vault.seal.current_key'], `file://${join(dataDir, 'vault-root.key')}`)
    .with(vaultSettings['vault.seal.current_key_id'], id),
})

/** Returns the settings of a server that replaces the root key for development in a data folder by a new root key. */
export function rotatedRoot(dataDir: string): Pick<Config, 'given' | 'isDev'> {
  const file = join(dataDir, 'new-root.key')
  writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  return {
    isDev: false,
    given: new GivenSettings()
      .with(vaultSettings['vault.seal.current_key'], `file://${file}`)
      .with(vaultSettings['vault.seal.current_key_id'], 'new')
      .with(vaultSettings['vault.seal.previous_key'], `file://${join(dataDir, 'vault-root.key')}`),
  }
}
