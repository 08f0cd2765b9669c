import type { RootKeys } from '../../../domain/vault/seal/open-safe.ts'
import { isSnapshotOf, unwrapSnapshotKey } from '../../../domain/vault/seal/snapshot-key.ts'
import type { OpenedSnapshot } from './checked-rows.ts'
import { readHeader } from './header.ts'
import { damaged, SnapshotFault } from './snapshot-fault.ts'

/** Opens a file with the root keys of the settings. Throws `SnapshotFault` if none of them opens the file. */
export async function openSnapshot(file: string, { current, previous }: RootKeys): Promise<OpenedSnapshot> {
  const { header } = await readHeader(file)
  const roots = previous === undefined ? [current] : [current, previous]
  const root = roots.find(candidate => isSnapshotOf(candidate, header))
  if (root === undefined)
    throw new SnapshotFault(
      `was taken under the root key ${JSON.stringify(header.root_key_id.slice(0, 80))}, which is not among the root keys of the settings; ` +
        'set vault.seal.current_key to that key, or set vault.seal.previous_key to it if the root key was rotated since',
    )
  const key = unwrapSnapshotKey(root, header)
  if (key === undefined) throw damaged('its header was altered')
  return { file, header, root, key }
}
