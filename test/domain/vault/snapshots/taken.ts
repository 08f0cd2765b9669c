import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import type { RootKey } from '../../../../domain/vault/seal/root-key.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { TakeSnapshotBodyInput, VaultOperation } from '../../../../output/vault/types.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { areas } from '../../../../server/areas.ts'
import type { Config } from '../../../../server/config.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { restoreVault } from '../../../../server/vault/snapshots/restore.ts'
import { baseUrl } from '../../../areas/open-platform.ts'

/** The time in which an operation must end, in milliseconds. */
const patienceMs = 60_000

/** Returns the names of the files in the folder of snapshots. */
export function snapshotNames({ dataDir }: Pick<StorePlace, 'dataDir'>): readonly string[] {
  try {
    return readdirSync(join(dataDir, 'snapshots')).toSorted()
  } catch {
    return []
  }
}

/** Returns the path of a snapshot. */
export const snapshotFile = ({ dataDir }: Pick<StorePlace, 'dataDir'>, id: string): string =>
  join(dataDir, 'snapshots', `vault-${id}.snap`)

/** Takes a snapshot, waits until its operation has ended, and returns the operation. */
export async function endedSnapshot({ vault }: Ninefold, body: TakeSnapshotBodyInput = {}): Promise<VaultOperation> {
  const { id } = await vault.takeSnapshot({ body })
  const until = performance.now() + patienceMs
  for (;;) {
    const operation = await vault.getOperation({ id })
    if (isEnded(operation)) return operation
    if (performance.now() > until) throw new Error(`operation ${id} is still ${operation.status}`)
    await nextPoll(10)
  }
}

/** Takes a snapshot of a platform in a place, and returns its file. */
export async function takenSnapshot(api: Ninefold, place: StorePlace): Promise<string> {
  const { errors, resource_id, status } = await endedSnapshot(api)
  if (status !== 'VAULT_OPERATION_STATUS_DONE') throw new Error(`the snapshot failed: ${JSON.stringify(errors)}`)
  return snapshotFile(place, resource_id)
}

/** Returns the root key that a platform of tests has made in its data folder. */
export const devRoot = ({ dataDir }: Pick<StorePlace, 'dataDir'>): RootKey => ({
  id: 'root',
  bytes: Buffer.from(readFileSync(join(dataDir, 'vault-root.key'), 'latin1'), 'base64'),
})

/** The options of `restoreInto`. */
export interface RestoreFlags {
  readonly isVerifying?: boolean
  readonly isReplacing?: boolean
  readonly config?: Partial<Config>
}

/** Restores a snapshot into a place as `ninefold vault restore` does, and returns the printed lines. */
export async function restoreInto(
  place: StorePlace,
  from: string,
  flags: RestoreFlags = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  const { config: given, isReplacing = false, isVerifying = false } = flags
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const config = { baseUrl, isDev: true, http, ...place, ...given }
  await restoreVault({ config, areas, from, isVerifying, isReplacing, print: line => void lines.push(line) })
  return lines
}
