import { ApiError } from '../../../../runtime/errors.ts'
import type { SortField } from '../../../../runtime/filter/types.ts'
import type { Transaction } from '../../../ports/store.ts'
import type { Turn } from '../../../ports/workers.ts'
import { workspaceScope } from '../../../resources/kind.ts'
import { artifactCollection } from '../../artifacts/artifacts-store.ts'
import { dropRow } from '../../drop-row.ts'
import { recordAuditEvent } from '../../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../../environment.ts'
import { repositoryCollection } from '../../repositories/repositories-store.ts'
import { effectivePolicy } from '../../scan-policies/effective-policy.ts'
import { beginScan, scanEffect } from '../begin-scan.ts'
import { isInProgress } from '../scan-rows.ts'
import { scanCollection, waitingCollection, type WaitingScan } from '../../scan-results/scans-store.ts'

/** The number of scans in progress from which no further automatic one begins, so that calls need not wait for many. */
const mostInProgress = 4

/** The time for which no scan of a workspace begins that is not ACTIVE or has no room today, in milliseconds. */
const pauseMs = 10_000

const oldestFirst: readonly SortField[] = [
  { field: { name: 'since', type: 'TIMESTAMP', operators: [], sortable: true }, descending: false },
  { field: { name: 'id', type: 'STRING', operators: [], sortable: true }, descending: false },
]

/** Begins the automatic scans of artifacts that wait, the oldest first. */
export class WaitingScans {
  readonly #environment: RegistryEnvironment
  /** The times until which workspaces pause, in milliseconds since 1970, by id. */
  readonly #paused = new Map<string, number>()

  constructor(environment: RegistryEnvironment) {
    this.#environment = environment
  }

  async start({ signal, tx }: Turn): Promise<void> {
    const { clock, store } = this.#environment
    const state = ['REGISTRY_SCAN_STATE_PENDING', 'REGISTRY_SCAN_STATE_RUNNING']
    let room = mostInProgress - (await store.count(scanCollection, { state }))
    while (room > 0 && !signal.aborted) {
      const now = clock.now()
      for (const [id, until] of this.#paused) if (until <= now) this.#paused.delete(id)
      const query = { size: 1, filter: undefined, order: oldestFirst, after: undefined, now }
      const where = { workspace_id: { noneOf: [...this.#paused.keys()] } }
      const [first] = (await store.page(waitingCollection, query, where)).items
      if (!first) return
      if (await this.#begin(tx, first.value)) room -= 1
    }
  }

  /** Begins the scan of a row, or drops the row. Returns whether a scan began. */
  async #begin(tx: Turn['tx'], waiting: WaitingScan): Promise<boolean> {
    const pause = (): boolean => {
      this.#paused.set(waiting.workspace_id, this.#environment.clock.now() + pauseMs)
      return false
    }
    try {
      const outcome = await tx(inner => beginWaiting(this.#environment, inner, waiting))
      return outcome === 'inactive' ? pause() : outcome === 'begun'
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'QUOTA_EXCEEDED') return pause()
      throw error
    }
  }
}

async function beginWaiting(
  environment: RegistryEnvironment,
  tx: Transaction,
  { id, repository_id, workspace_id }: WaitingScan,
): Promise<'begun' | 'dropped' | 'inactive'> {
  const { clock, operations, taxonomy } = environment
  const scope = workspaceScope(workspace_id)
  await taxonomy.share(tx, scope)
  const isActive = (await taxonomy.effectiveState(tx, scope))?.state === 'ACTIVE'
  const repository = (await tx.lock(repositoryCollection, repository_id))?.value
  const artifact = (await tx.get(artifactCollection, id))?.value
  const policy = repository && (await effectivePolicy(tx, repository))?.policy
  const scan = (await tx.lock(scanCollection, id))?.value
  // The trigger may have changed since the row was found.
  const trigger = (await tx.lock(waitingCollection, id))?.value.trigger
  const isWanted = policy?.trigger === `REGISTRY_SCAN_TRIGGER_${trigger}` && !(scan && isInProgress(scan))
  if (repository?.state === 'REGISTRY_REPOSITORY_STATE_DELETING' || !artifact || !isWanted) {
    await dropRow(tx, waitingCollection, id)
    return 'dropped'
  }
  if (!isActive) return 'inactive'
  const { generate_sbom: makesBill, scanner } = policy
  const begun = { artifact, report: clock.newId(), scanner, makesBill, now: clock.now() }
  await beginScan(tx, begun, await operations.begin(tx, scanEffect(begun)))
  const about = { workspace: workspace_id, repository, digest: artifact.digest }
  await recordAuditEvent(tx, clock, undefined, { action: 'SCAN', ...about })
  return 'begun'
}
