import { formatMillis } from '../../../../runtime/timestamps.ts'
import type { Turn } from '../../../ports/workers.ts'
import { artifactCollection, type StoredArtifact } from '../../artifacts/artifacts-store.ts'
import { dropRow } from '../../drop-row.ts'
import type { RegistryEnvironment } from '../../environment.ts'
import { repositoryCollection } from '../../repositories/repositories-store.ts'
import { effectivePolicy } from '../../scan-policies/effective-policy.ts'
import { nextScanTime } from '../../scan-policies/next-scan-time.ts'
import { scanPolicyCollection } from '../../scan-policies/scan-policies-store.ts'
import { scheduledCollection, type ScheduledScans } from '../../scan-results/scans-store.ts'
import { putWaiting } from '../../scan-results/await-scan.ts'

/** The number of artifacts of one transaction. */
const batchSize = 50

/** Notes each policy whose time has come. A server that was stopped meanwhile notes a policy once. */
export async function startSchedules({ clock, store }: RegistryEnvironment, { signal, tx }: Turn): Promise<void> {
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
      const row = { id, workspace_id: value.workspace_id, since: time, after: '' }
      // Artifacts of the time before that do not wait yet wait from now on.
      if (!(await inner.get(scheduledCollection, id))) await inner.insert(scheduledCollection, row)
    })
  }
}

/** Lets all artifacts wait for which a noted policy counts, in batches. */
export async function queueScheduled({ store }: RegistryEnvironment, { signal, tx }: Turn): Promise<void> {
  for await (const { value } of store.each(scheduledCollection)) await queuePolicy(store, { signal, tx }, value)
}

async function queuePolicy(
  store: RegistryEnvironment['store'],
  { signal, tx }: Turn,
  { after, id, since, workspace_id }: ScheduledScans,
): Promise<void> {
  const kind = ['REGISTRY_ARTIFACT_KIND_IMAGE', 'REGISTRY_ARTIFACT_KIND_INDEX']
  const counts = new Map<string, boolean>()
  let batch: StoredArtifact[] = []
  const flush = async (): Promise<void> => {
    const [queued, last] = [batch, batch.at(-1)]
    batch = []
    if (!last) return
    for (const { repository_id } of queued)
      if (!counts.has(repository_id)) counts.set(repository_id, await countsFor(store, repository_id, id))
    await tx(async inner => {
      const stored = await inner.lock(scheduledCollection, id)
      if (!stored) return
      for (const { digest, repository_id, row_id } of queued)
        if (counts.get(repository_id) === true)
          await putWaiting(inner, { id: row_id, workspace_id, repository_id, digest, since, trigger: 'SCHEDULED' })
      await inner.update(scheduledCollection, id, { ...stored.value, after: last.row_id }, stored.version)
    })
  }
  for await (const { value } of store.each(artifactCollection, { workspace_id, kind }, after)) {
    if (signal.aborted) return
    batch.push(value)
    if (batch.length === batchSize) await flush()
  }
  await flush()
  if (!signal.aborted) await tx(inner => dropRow(inner, scheduledCollection, id))
}

/** Returns whether a policy is the one that counts for a repository. */
async function countsFor(store: RegistryEnvironment['store'], repository: string, policy: string): Promise<boolean> {
  const stored = await store.get(repositoryCollection, repository)
  return stored !== undefined && (await effectivePolicy(store, stored.value))?.policy.id === policy
}
