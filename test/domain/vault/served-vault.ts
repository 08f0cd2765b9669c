import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../../server/store/harness.ts'

/** Returns the settings of server processes with one root key, whose destructions may have windows of a second. */
export function servedVault(): Readonly<Record<string, string>> {
  const file = join(testFolder(), 'root.key')
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  return { NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${file}`, NINEFOLD_VAULT_MIN_DESTROY_WINDOW: '1s' }
}
