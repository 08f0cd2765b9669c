import { expect } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import type { ServedRegistry } from '../served-registry.ts'

/** The number of rounds between two clearances: enough for the doctor to find much at once. */
const clearedEvery = 25

/**
 * Clears a workspace after every 25th round of a race: the doctor inspects what the rounds have left, which is deleted
 * then. Otherwise each evaluation of a policy would read the repositories and policies of all earlier rounds, and
 * hundreds of rounds would take hours.
 */
export async function clearAfterRounds(served: ServedRegistry, round: number): Promise<void> {
  if (round % clearedEvery !== clearedEvery - 1) return
  expect(await doctorFindings(served.place)).toEqual([])
  await clear(served)
}

/** Deletes all policies and locks of the workspace, and all repositories with their content. */
async function clear({ api: { registry }, workspace }: ServedRegistry): Promise<void> {
  const at = { workspace, engine: 'native' }
  for await (const { id } of registry.iterateRetentionPolicies(at)) await registry.deleteRetentionPolicy({ ...at, id })
  for await (const { id } of registry.iterateScanPolicies(at)) await registry.deleteScanPolicy({ ...at, id })
  for await (const { id: repository, state } of registry.iterateRepositories(at)) {
    if (state === 'REGISTRY_REPOSITORY_STATE_DELETING') continue
    const locks = { workspace, repository }
    for await (const { id } of registry.iterateDeploymentLocks(locks))
      await registry.deleteDeploymentLock({ ...locks, id })
    await registry.deleteRepository({ ...at, id: repository, force: true })
  }
  // The deletions are operations that end soon.
  await expect.poll(async () => (await registry.listRepositories(at)).repositories).toEqual([])
}
