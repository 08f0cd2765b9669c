import { expect, it } from 'vitest'
import type { LifecycleRuleInput } from '../../../../output/storage/types.ts'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { runCollection } from '../../../../domain/storage/rules/runs-store.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { ruledStorage, type RuledStorage } from './ruled-storage.ts'

const rules: readonly LifecycleRuleInput[] = [
  { id: 'a', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 1, prefix: 'a' } },
  { id: 'b', action: 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT', condition: { num_newer_versions: 1, prefix: 'b' } },
  {
    id: 'c',
    action: 'STORAGE_LIFECYCLE_ACTION_ABORT_INCOMPLETE_MULTIPART_UPLOAD',
    condition: { age_days: 0, prefix: 'c' },
  },
]

/** Makes a bucket with an old object, a version below another, and an upload, which the rules remove. */
async function filled(): Promise<RuledStorage> {
  const tenant = await ruledStorage([], { versioning: 'STORAGE_VERSIONING_ENABLED' })
  const { admin, at, put } = tenant
  for (const [object, content] of [
    ['a', '1'],
    ['b', '22'],
    ['b', '333'],
  ] as const)
    await put(object, content)
  await tenant.age('a', 1)
  await admin.api.storage.createMultipartUpload({ ...at, body: { object: 'c' } })
  await admin.api.storage.updateBucket({
    ...at,
    id: at.bucket,
    update_mask: 'lifecycle_rules',
    body: { lifecycle_rules: [...rules] },
  })
  return tenant
}

class Crash extends Error {}

/** Runs the rules until a process would end: before the n-th commit, or after it. Returns whether it has ended. */
async function crashed({ lifecycle }: RuledStorage, commit: number, at: 'before' | 'after'): Promise<boolean> {
  let commits = 0
  const over = new AbortController()
  const { store } = lifecycle
  const tx = async <R>(fn: (tx: Transaction) => Promise<R>): Promise<R> => {
    commits += 1
    const isLast = commits === commit
    if (commits > commit) throw new Crash()
    const result = await store.tx(async each => {
      const made = await fn(each)
      if (isLast && at === 'before') throw new Crash()
      return made
    })
    if (!isLast) return result
    throw new Crash()
  }
  const ended = lifecycle.run(tx, over.signal)
  await Promise.allSettled([ended])
  return commits >= commit
}

it.each(['before', 'after'] as const)('a run that ends %s any commit is completed by the next run', async at => {
  let commit = 1
  for (let isCrashed = true; isCrashed; commit += 1) {
    const tenant = await filled()
    const { lifecycle, platform } = tenant
    isCrashed = await crashed(tenant, commit, at)
    expect(await doctorFindings(platform.config)).toEqual([])
    await lifecycle.run()
    expect(await tenant.left()).toEqual(['a marker', 'a 1', 'b 3'])
    expect(await lifecycle.store.count(runCollection)).toBe(0)
    const operations = new Set((await tenant.operations()).map(({ id }) => id))
    const activities = (await recordedActivities(platform.config)).filter(({ operation_id }) =>
      operations.has(operation_id),
    )
    expect(activities.length).toBe(operations.size)
    // Nothing is counted twice, and nothing that was removed is missing.
    expect(activities.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3)
    expect(await doctorFindings(platform.config)).toEqual([])
  }
  // Three rules with a batch each, and the end of the run.
  expect(commit - 1).toBe(5)
})
