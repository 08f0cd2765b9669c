import { done, type Procedure, type StepContext, type StepOutcome } from '../../../ports/procedures.ts'
import { formatMillis } from '../../../../runtime/timestamps.ts'
import type { Turn } from '../../../ports/workers.ts'
import { workspaceScope } from '../../../resources/kind.ts'
import { artifactCollection, type StoredArtifact } from '../../artifacts/artifacts-store.ts'
import type { RegistryEnvironment } from '../../environment.ts'
import { repositoryCollection } from '../../repositories/repositories-store.ts'
import { effectivePolicy } from '../../scan-policies/effective-policy.ts'
import { nextScanTime } from '../../scan-policies/next-scan-time.ts'
import { scanPolicyCollection, type StoredScanPolicy } from '../../scan-policies/scan-policies-store.ts'
import { putWaiting } from './await-scan.ts'

/** The kind of the work that lets the artifacts of a policy wait for their scheduled scans. */
const queueing = 'registry.queueScans'

/** The number of artifacts of one transaction. */
const batchSize = 50

interface QueueOrder {
  readonly workspace: string
  readonly policy: string
}

/** The last artifact that waits, by the id of its row, in the repository that is in progress. */
interface QueueProgress {
  readonly repository: string
  readonly after: string
}

/** Begins the work of each policy whose time has come. A server that was stopped meanwhile begins it once. */
export async function startSchedules(
  { clock, operations, store }: RegistryEnvironment,
  { signal, tx }: Turn,
): Promise<void> {
  const time = formatMillis(clock.now())
  const scheduled = { enabled: true, trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED' } as const
  for await (const { id, value } of store.each(scanPolicyCollection, scheduled)) {
    if (signal.aborted) return
    if (value.next_scan_time === '' || value.next_scan_time > time) continue
    await tx(async inner => {
      const stored = await inner.lock(scanPolicyCollection, id)
      if (stored?.value.next_scan_time !== value.next_scan_time) return
      const next = { ...stored.value, next_scan_time: nextScanTime(stored.value, clock.now()) }
      await inner.update(scanPolicyCollection, id, next, stored.version)
      const { workspace_id: workspace } = value
      const order: QueueOrder = { workspace, policy: id }
      await operations.follow(inner, { kind: queueing, input: order, scope: workspaceScope(workspace) })
    })
  }
}

/** Returns the work that lets all artifacts wait for which a policy counts. */
export const queueScheduled = ({
  clock,
}: Pick<RegistryEnvironment, 'clock'>): Procedure<QueueOrder, QueueProgress> => ({
  kind: queueing,
  deadlineMs: 'none',
  steps: [{ name: 'queue', run: context => queue(context, formatMillis(clock.now())) }],
})

async function queue(context: StepContext<QueueOrder, QueueProgress>, since: string): Promise<StepOutcome> {
  const { checkpoint, input, store } = context
  const policy = (await store.get(scanPolicyCollection, input.policy))?.value
  if (policy?.enabled !== true) return done()
  const { engine, workspace_id } = policy
  for await (const { id, value } of store.each(repositoryCollection, { workspace_id, engine })) {
    if (checkpoint && id < checkpoint.repository) continue
    if ((await effectivePolicy(store, value))?.policy.id !== policy.id) continue
    await queueRepository(context, policy, id, { since, after: checkpoint?.repository === id ? checkpoint.after : '' })
  }
  return done()
}

async function queueRepository(
  { save, store }: StepContext<QueueOrder, QueueProgress>,
  { workspace_id }: StoredScanPolicy,
  repository: string,
  { after, since }: { readonly after: string; readonly since: string },
): Promise<void> {
  const kind = ['REGISTRY_ARTIFACT_KIND_IMAGE', 'REGISTRY_ARTIFACT_KIND_INDEX']
  let batch: StoredArtifact[] = []
  const flush = async (): Promise<void> => {
    const [queued, last] = [batch, batch.at(-1)]
    if (!last) return
    batch = []
    await save({ repository, after: last.row_id }, async tx => {
      for (const { digest, repository_id } of queued)
        await putWaiting(tx, { workspace_id, repository_id, digest, since, trigger: 'SCHEDULED' })
    })
  }
  for await (const { value } of store.each(artifactCollection, { repository_id: repository, kind }, after)) {
    batch.push(value)
    if (batch.length === batchSize) await flush()
  }
  await flush()
}
