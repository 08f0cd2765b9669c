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
