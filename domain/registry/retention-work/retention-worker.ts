import type { SortKey } from '../../../runtime/filter/types.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { retentionKind } from '../retention/retention-kind.ts'
import { retentionCollection, retentionRunCollection } from '../retention/retention-store.ts'
import { isWorkspaceRetained } from './may-run.ts'
import { runOf } from './orders.ts'
import { insertRun } from './runs.ts'
import { nextRunTime } from './schedule.ts'

/** The time between two looks for due policies, in milliseconds. */
const everyMs = 1000

/** The number of policies that one statement reads. */
const pageSize = 100

const byTime = [
  { field: { name: 'next_run_time', type: 'TIMESTAMP', operators: [], sortable: true }, descending: false },
  { field: { name: 'id', type: 'STRING', operators: [], sortable: true }, descending: false },
] as const

/** The parts that the schedules use. */
export type Scheduling = Pick<RegistryEnvironment, 'clock' | 'failed' | 'operations' | 'store' | 'taxonomy'>

/** Returns the worker that begins the scheduled runs of retention policies. A failure of one does not stop the others. */
export const retentionWorker = (environment: Scheduling): Worker => ({
  name: 'registry.retention',
  everyMs,
  async run({ signal, tx }) {
    const { clock, failed, store } = environment
    for (const id of await dueAt(store, clock.now())) {
      if (signal.aborted) return
      await tx(each => beginRun(environment, each, id)).catch((error: unknown) => {
        if (!signal.aborted) failed(error, `${retentionKind.type} ${id}`)
      })
    }
  },
})

/** Returns the ids of the policies whose time has come, the earliest first. */
export async function dueAt(reader: Reader, now: number): Promise<readonly string[]> {
  const ids: string[] = []
  const filter = timeFilter('next_run_time', '<=', now)
  let after: readonly SortKey[] | undefined
  do {
    const page = await reader.page(retentionCollection, { size: pageSize, filter, order: byTime, after, now })
    ids.push(...page.items.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return ids
}

/**
 * Begins the run of a policy whose time has come, as an operation of the system principal. Of several times that a stopped
 * server has missed, one run is made up for. While a run goes on, and in an archived workspace, the time is passed over.
 */
export async function beginRun(
  { clock, operations, taxonomy }: Omit<Scheduling, 'failed' | 'store'>,
  tx: Transaction,
  id: string,
): Promise<void> {
  const seen = (await tx.get(retentionCollection, id))?.value
  if (!seen) return
  const { workspace_id } = seen
  const scope = workspaceScope(workspace_id)
  await taxonomy.share(tx, scope)
  const stored = await tx.lock(retentionCollection, id)
  const now = clock.now()
  if (!stored || !(Date.parse(stored.value.next_run_time ?? '') <= now)) return
  const { next_run_time: _due, ...rest } = stored.value
  await tx.update(retentionCollection, id, { ...rest, ...nextRunTime(rest, now) }, stored.version)
  if (await tx.exists(retentionRunCollection, { id })) return
  if (!(await isWorkspaceRetained(taxonomy, tx, workspace_id))) return
  const operation_id = await operations.begin(tx, {
    type: 'UPDATE',
    resourceType: retentionKind.type,
    resourceId: id,
    scope,
    changed: ['last_evaluation'],
    procedure: runOf(stored.value),
  })
  await insertRun(tx, { id, workspace_id, operation_id, mode: rest.mode })
}
