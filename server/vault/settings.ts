import { join, resolve } from 'node:path'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { duration, integer, text } from '../settings/scalars.ts'
import { emptyFault } from '../settings/text-faults.ts'

/** Returns the fault of the reference to a root key; the fault does not quote the text, which may be a key. */
function keyReferenceFault(value: string): string | undefined {
  const isReference = /^(?:file|exec):\/\/\/\S/.test(value) || /^env:\/\/[A-Za-z_]\w*$/.test(value)
  return isReference ? undefined : 'must be file:///path, exec:///path or env://NAME'
}

/** The scheme of the reference to a root key that `--dev` makes; settings cannot name this scheme. */
export const devScheme = 'dev://'

const forms =
  '`file:///path` (only the owner may read it), `exec:///path` (the key is its standard output) or `env://NAME`; the key is 32 bytes or their base64'

/** The settings of the area of vault. */
export const vaultSettings = {
  'vault.seal.current_key': text({ fault: keyReferenceFault })
    .derived('none: the vault is sealed; with `--dev`: `<data_dir>/vault-root.key`', ({ dataDir, isDev = false }) =>
      isDev ? `${devScheme}${join(resolve(dataDir), 'vault-root.key')}` : '',
    )
    .describe(`the root key of the vault: ${forms}`),
  'vault.seal.current_key_id': text({ fault: emptyFault })
    .default('root')
    .describe('the name of the root key, which the vault stores; give each root key a name of its own'),
  'vault.seal.previous_key': text({ fault: keyReferenceFault }).optional.describe(
    'the root key before a rotation: at the next start, the keys of the vault are encrypted under the current root key',
  ),
  'vault.seal.previous_key_id': text({ fault: emptyFault })
    .default('previous')
    .describe('the name of the root key before a rotation'),
  'vault.snapshots.dir': text({ fault: emptyFault })
    .derived('`<data_dir>/snapshots`', ({ dataDir }) => join(resolve(dataDir), 'snapshots'))
    .describe('the folder for snapshots of the vault, on a disk of this server'),
  'vault.snapshots.keep': integer({ min: 1, max: 9999 })
    .default(7)
    .describe('the number of snapshots that are kept: after a new snapshot, the oldest beyond this number are deleted'),
  'vault.min_destroy_window': duration({ min: 1000, max: 10_368_000_000 })
    .default(86_400_000)
    .describe(
      'the smallest time in which the destruction of a version of a crypto key can be cancelled; a shorter time than a day is for tests',
    ),
} as const satisfies SettingDeclarations
