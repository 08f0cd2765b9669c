import { setTimeout as nextPoll } from 'node:timers/promises'
import type { Ninefold } from '../../../../output/client.ts'
import type { RetentionRuleInput } from '../../../../output/registry/types.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import { artifactCollection, rowOf } from '../../../../domain/registry/artifacts/artifacts-store.ts'
import { retentionCollection } from '../../../../domain/registry/retention/retention-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { limitYoungGrowth } from '../../../../server/young-generation.ts'
import { collectGarbage } from '../../../garbage.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { meets, secondsOf } from '../storage/limits.ts'
import { watchedTurns, type WatchedTurns } from '../turns.ts'
import { overPlace, storeName } from '../vm-bench-place.ts'
import { vmPlatform } from '../vm-platform.ts'
import { groupSize, pushGroup, type Group } from './filled-repository.ts'

/** Everything goes but releases, what belongs to them, and what is locked. */
const rules: readonly RetentionRuleInput[] = [
  { id: 'dev', action: 'REGISTRY_RETENTION_ACTION_DELETE', tag_patterns: ['dev-*'] },
  { id: 'untagged', action: 'REGISTRY_RETENTION_ACTION_DELETE', tag_state: 'REGISTRY_TAG_STATE_UNTAGGED' },
  { id: 'releases', action: 'REGISTRY_RETENTION_ACTION_KEEP', tag_patterns: ['v*'] },
]

/** Every so many groups, the first image of a group is locked. */
const lockedEvery = 100

interface Bench {
  readonly at: { readonly workspace: string; readonly engine: 'native' }
  readonly repository: string
  readonly groups: readonly Group[]
}

/** A turn of the event loop may have this processor time, in milliseconds. */
const heldMs = 20

/**
 * Prints the time of a dry run and of a run that deletes, over a repository with many artifacts, and the longest turn of the
 * event loop of their platform. Returns whether the limit was kept, and whether exactly what nothing protects is gone. The
 * limit is about processor time: while other programs have the processor, a turn takes longer without any work.
 */
export const printRetention = (storeUrl: string | undefined, count: number): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    console.log(`\nretention over ${count} artifacts, ${storeName(storeUrl)}`)
    limitYoungGrowth()
    const { at, groups, repository } = await filled(place, count)
    // The platform that is measured has not filled the repository.
    await collectGarbage()
    const { api, close } = await vmPlatform(place, 0)
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    const bench = { at, groups, repository }
    await lockSome(api, bench)
    let policy = ''
    const body = { name: 'clean-up', mode: 'REGISTRY_RETENTION_MODE_ENFORCE' as const, rules: [...rules] }
    const dryTurns = await watchedTurns(async () => {
      const options = { timeoutMs: 3_600_000 }
      policy = (await api.registry.waitOperation(await api.registry.createRetentionPolicy({ ...at, body }), options))
        .resource_id
    })
    const read = () => api.registry.getRetentionPolicy({ ...at, id: policy })
    const dry = (await read()).last_evaluation
    console.log(`  dry run: ${secondsIn(dryTurns)} s, ${dry?.matched} of ${dry?.examined} artifacts matched`)
    const isDryHeld = meetsTurns(dryTurns)
    await makeDue(store, policy)
    const turns = await watchedTurns(async () => {
      while ((await read()).last_evaluation?.mode !== body.mode) await nextPoll(500)
    })
    const done = (await read()).last_evaluation
    console.log(`  run: ${secondsIn(turns)} s, ${done?.deleted} artifacts deleted, ${done?.locked} locked`)
    const isHeld = meetsTurns(turns)
    await close()
    return (await meetsLeft(store, bench)) && isHeld && isDryHeld
  })

const secondsIn = ({ took }: WatchedTurns): string => (took / 1000).toFixed(1)

/** Prints the longest turn of a run; returns whether its processor time is within the limit. */
const meetsTurns = ({ longest, longestCpu }: WatchedTurns): boolean =>
  meets(
    `a turn of the event loop has at most ${heldMs} ms of processor time`,
    `${longestCpu.toFixed(1)} ms, the longest turn takes ${longest.toFixed(1)} ms`,
    longestCpu <= heldMs,
  )

/** Fills a repository of a new platform. */
async function filled(place: StorePlace, count: number): Promise<Bench> {
  const platform = await vmPlatform(place, 0)
  const { workspace } = await addTenant(platform.api, 'acme')
  const at = { workspace, engine: 'native' } as const
  const { resource_id: repository } = await platform.api.registry.createRepository({ ...at, body: { name: 'api' } })
  for (const [definition, dimensions] of [
    ['registry.storageBytes', {}],
    ['registry.artifacts', { repository_id: repository }],
  ] as const) {
    const body = { quota_definition_id: definition, dimensions, limit: -1 }
    await platform.api.registry.createQuotaLimit({ workspace, body })
  }
  await platform.close()
  const store = await openBeside(place, storeCollections(areas))
  const groups: Group[] = []
  const seconds = await secondsOf(async () => {
    while (groups.length < count / groupSize) {
      const from = groups.length
      const next = await store.tx(async tx => {
        const made = []
        for (let n = from; n < from + 20 && n < count / groupSize; n += 1) made.push(await pushGroup(tx, repository, n))
        return made
      })
      groups.push(...next)
    }
  })
  await store.close()
  console.log(`  pushed in ${seconds.toFixed(1)} s, with the limits of artifacts and bytes raised`)
  return { at, repository, groups }
}

async function lockSome(api: Ninefold, { at: { workspace }, groups, repository }: Bench): Promise<void> {
  for (const { images } of groups.filter((_, n) => n % lockedEvery === 0)) {
    const body = { reference: images[0] ?? '', reason: 'in use' }
    await api.registry.createDeploymentLock({ workspace, repository, body })
  }
}

async function makeDue(store: Store, id: string): Promise<void> {
  await store.tx(async tx => {
    const stored = await tx.get(retentionCollection, id)
    if (!stored) throw new Error('there is no policy')
    const due = { ...stored.value, next_run_time: '2026-01-01T03:00:00.000Z' }
    await tx.update(retentionCollection, id, due, stored.version)
  })
}

/** Prints whether exactly the releases, what belongs to them, and what is locked are left. */
async function meetsLeft(store: Store, { groups, repository }: Bench): Promise<boolean> {
  const expected = groups.flatMap(({ held, images, indexTag }, n) => [
    ...(indexTag.startsWith('v') ? held : []),
    ...(n % lockedEvery === 0 ? images.slice(0, 1) : []),
  ])
  let missing = 0
  for (const digest of expected) if (!(await store.get(artifactCollection, rowOf(repository, digest)))) missing += 1
  const left = await store.count(artifactCollection, { repository_id: repository })
  return meets(
    'nothing locked or referenced is deleted, and all else is',
    `${missing} missing, ${left} of ${expected.length} left`,
    missing === 0 && left === expected.length,
  )
}
