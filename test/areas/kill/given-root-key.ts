import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GivenSettings } from '../../../server/settings/values.ts'
import { vaultSettings } from '../../../server/vault/settings.ts'
import { walkedServer } from './serve-walked.ts'

/** Writes the root key of the vault into the data folder of a walked server, and returns the setting that names it. */
export function givenRootKey(): GivenSettings {
  const { place } = walkedServer()
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const file = join(place.dataDir, 'walked-root.key')
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  return new GivenSettings().with(vaultSettings['vault.seal.current_key'], `file://${file}`)
}
