import { existsSync } from 'node:fs'
import { systemActivity, type Audit } from '../../../domain/ports/audit.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { AreaModule } from '../../area.ts'
import { outboxAudit } from '../../audit/outbox.ts'
import { claimDataFolder } from '../../backup/folder-hold.ts'
import { createClock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { checkDataFolder } from '../../data-folder.ts'
import { isGone } from '../../operations/host.ts'
import { owners } from '../../operations/owners.ts'
import { processLeaseMs } from '../../operations/workers.ts'
import { settleRestore } from '../../pending-restore.ts'
import { explainedUse, openStore, placeName, storeFile } from '../../platform-store.ts'
import { settingsOf } from '../../settings/values.ts'
import type { ServerStore } from '../../store/server-store.ts'
import { readRoots } from '../read-roots.ts'
import { vaultSettings } from '../settings.ts'
import { checkedRows, type OpenedSnapshot } from './checked-rows.ts'
import { openSnapshot } from './open-snapshot.ts'
import { restoreRows, type RestoredRows } from './restore-rows.ts'
import { SnapshotFault } from './snapshot-fault.ts'

/** The source and the target of a restore of a vault. */
export interface VaultRestore {
  readonly config: Config
  readonly areas: readonly AreaModule[]
  readonly from: string
  /** Whether the file is only checked. */
  readonly isVerifying: boolean
  /** Whether the rows of the vault are replaced; otherwise the vault must be empty. */
  readonly isReplacing: boolean
  readonly print: (line: string) => void
}

/**
 * Checks a snapshot of a vault and restores its rows into the store, in one transaction; no server may run on the store.
 * Throws an error that names the obstacle and the remedy; the store is then unchanged.
 */
export async function restoreVault(request: VaultRestore): Promise<void> {
  const { config, from, isVerifying, print } = request
  try {
    const roots = await readRoots(
      settingsOf(config, vaultSettings),
      { environment: process.env, made: () => {} },
      false,
    )
    const snapshot = await openSnapshot(from, roots)
    let rows = 0
    // The whole file is checked before the store is touched.
    for await (const _ of checkedRows(snapshot)) rows += 1
    if (isVerifying) print(`can be restored: ${rows} rows of ${told(snapshot)}`)
    else await intoStore(request, snapshot)
  } catch (error) {
    throw error instanceof SnapshotFault ? new Error(`${from} ${error.message}`, { cause: error }) : error
  }
}

async function intoStore(request: VaultRestore, snapshot: OpenedSnapshot): Promise<void> {
  const { config, print } = request
  const { dataDir, storeUrl } = config
  if (storeUrl === undefined) {
    checkDataFolder(dataDir)
    if (!existsSync(storeFile(dataDir)))
      throw new Error(
        `there is no store at ${placeName(config)}; restore the store of the platform first ("ninefold restore")`,
      )
  }
  const hold = existsSync(dataDir) ? claimDataFolder(dataDir) : { release: () => {} }
  if (hold === undefined) throw new Error(`${dataDir} is in use; end the servers and backups that run on it`)
  try {
    if (storeUrl === undefined) settleRestore(dataDir)
    const rows = await restored(request, snapshot)
    print(`${placeName(config)}: ${rows.restored} rows of ${told(snapshot)}`)
    if (rows.ended > 0) print(`rows that stay as the replaced vault has ended them: ${rows.ended}`)
    if (rows.left > 0)
      print(`${rows.left} rows of ${rows.leftWorkspaces} workspaces that this platform does not have were left out`)
    print('start a server, which ends what is overdue before it serves; then run "ninefold doctor"')
  } finally {
    hold.release()
  }
}

async function restored({ areas, config, isReplacing }: VaultRestore, snapshot: OpenedSnapshot): Promise<RestoredRows> {
  const store = await openStore(config, areas)
  try {
    const clock = createClock()
    const audit = outboxAudit(clock, taxonomyFunctions)
    const options = { snapshot, taxonomy: taxonomyFunctions, isReplacing }
    const rows = await store.tx(async tx => {
      await requireNoServer(tx, store, config)
      const counts = await restoreRows(tx, { ...options, now: clock.now() })
      await record(tx, audit, snapshot)
      // A server that has started meanwhile would keep keys of the replaced vault.
      await requireNoServer(tx, store, config)
      return counts
    })
    await store.scrub?.()
    return rows
  } catch (error) {
    // A violated unique set has an error for callers.
    if (error instanceof ApiError && error.rpc !== 'UNAVAILABLE')
      throw new SnapshotFault(`holds rows that contradict each other (${error.message}); take another snapshot`, {
        cause: error,
      })
    throw await explainedUse(config, error)
  } finally {
    await store.close()
  }
}

/** Throws if a server works on a database; the hold of the data folder excludes the servers of a file. */
async function requireNoServer(tx: Transaction, store: ServerStore, config: Config): Promise<void> {
  if (config.storeUrl === undefined) return
  const now = (await store.time?.()) ?? Date.now()
  for await (const { value } of tx.each(owners)) {
    const isExpired = Date.parse(value.heartbeat_time) + processLeaseMs <= now
    if (!isExpired && !isGone(value))
      throw new Error(
        `a server on ${value.host.split(' ')[0]} works on ${placeName(config)}; end all servers, and wait ${processLeaseMs / 1000} s after a crash`,
      )
  }
}

const record = (tx: Transaction, audit: Audit, { header }: OpenedSnapshot): Promise<void> =>
  audit.recordActivity(
    tx,
    systemActivity({
      area: 'vault',
      action: 'vault.snapshots.restored',
      resourceType: 'vault.snapshots',
      resourceId: header.snapshot_id,
      scope: { type: 'PLATFORM', id: '' },
    }),
  )

const told = ({ file, header }: OpenedSnapshot): string =>
  `${file}, taken ${header.create_time} of installation ${header.installation_id}`
