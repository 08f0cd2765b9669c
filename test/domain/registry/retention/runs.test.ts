import { describe, expect, it } from 'vitest'
import {
  artifactCollection,
  rowOf,
  type StoredArtifact,
} from '../../../../domain/registry/artifacts/artifacts-store.ts'
import { retentionRunCollection } from '../../../../domain/registry/retention/retention-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { ociIndex } from '../oci-client.ts'
import { heldRetention, type Around } from './held-retention.ts'
import { drop, enforce, keep, ruledRepository } from './ruled-repository.ts'

const held = heldRetention()

const newRepository = (more: object = {}) => ruledRepository(held(), more)

describe('a run of a retention policy', () => {
  it('deletes what its rules match, and says what it did', async () => {
    const { left, push, run } = await newRepository()
    const [one, two] = [await push('dev-1'), await push('v1')]
    const { evaluation } = await run([drop('dev', { tag_patterns: ['dev-*'] })])
    expect([...(await left()).keys()]).toEqual([two])
    expect(evaluation).toMatchObject({
      mode: 'REGISTRY_RETENTION_MODE_ENFORCE',
      examined: 2,
      matched: 1,
      kept: 0,
      locked: 0,
      deleted: 1,
      candidates: [{ digest: one, tags: ['dev-1'], rule_id: 'dev', outcome: 'REGISTRY_RETENTION_OUTCOME_DELETED' }],
    })
    expect(evaluation?.reclaimable_bytes).toBeGreaterThan(0)
    expect(await doctorFindings(held().place)).toEqual([])
  })

  it('takes many tags from one artifact in several transactions, and counts the artifact once', async () => {
    const { at, left, name, push, run } = await newRepository()
    const { api, oci } = held()
    const digest = await push('v1')
    const { bytes: body } = await oci.send(`/v2/${name}/manifests/v1`)
    const tags = Array.from({ length: 120 }, (_, i) => `dev-${i}`)
    for (let from = 0; from < tags.length; from += 30) {
      const set = new URLSearchParams(tags.slice(from, from + 30).map(tag => ['tag', tag]))
      const put = await oci.send(`/v2/${name}/manifests/${digest}?${set}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/vnd.oci.image.manifest.v1+json' },
        body,
      })
      expect(put.status).toBe(201)
    }
    await push('dev-other')
    const counts: number[] = []
    const around: Around = async run => {
      const result = await run()
      counts.push((await api.registry.getArtifact({ ...at, reference: digest })).tag_count)
      return result
    }
    const { evaluation } = await run([drop('dev', { tag_patterns: ['dev-*'] })], enforce, around)
    expect([...(await left())]).toEqual([[digest, ['v1']]])
    const steps = counts.map((count, i) => (counts[i - 1] ?? 121) - count)
    expect(Math.max(...steps)).toBe(20)
    expect(evaluation).toMatchObject({ examined: 2, matched: 2, kept: 0, deleted: 1 })
    const untagged = evaluation?.candidates.find(candidate => candidate.digest === digest)
    expect(untagged).toMatchObject({ rule_id: 'dev', outcome: 'REGISTRY_RETENTION_OUTCOME_UNTAGGED' })
    expect(untagged?.tags).toHaveLength(100)
  })

  it('in the mode DRY_RUN counts the same, and deletes nothing', async () => {
    const { left, push, result, run, policy } = await newRepository()
    await push('dev-1')
    await push('v1')
    const rules = [drop('dev', { tag_patterns: ['dev-*'] })]
    const before = await left()
    const { evaluation } = await run(rules, { mode: 'REGISTRY_RETENTION_MODE_DRY_RUN' })
    expect(await left()).toEqual(before)
    expect(evaluation).toMatchObject({
      mode: 'REGISTRY_RETENTION_MODE_DRY_RUN',
      matched: 1,
      deleted: 0,
      candidates: [{ rule_id: 'dev', outcome: 'REGISTRY_RETENTION_OUTCOME_WOULD_DELETE' }],
    })
    // The trial of a policy that enforces deletes nothing either, and finds the same bytes as the run.
    const made = await policy(rules)
    const trial = await result(made)
    expect(trial).toMatchObject({ mode: 'REGISTRY_RETENTION_MODE_DRY_RUN', matched: 1, deleted: 0 })
    expect(await left()).toEqual(before)
    await held().begin(made)
    await held().work(made)
    expect((await result(made))?.reclaimable_bytes).toBe(trial?.reclaimable_bytes)
  })

  it('keeps what locks, immutable tags, indexes, subjects and KEEP rules of enabled policies protect', async () => {
    const { api } = held()
    const { at, left, name, policy, push, pushIndex, run } = await newRepository({
      tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE',
      immutable_tag_exceptions: ['x-*', 'dev-*'],
    })
    const child = await push('x-child')
    const index = await pushIndex('v1', [child])
    const locked = await push('x-locked')
    await api.registry.createDeploymentLock({ ...at, body: { reference: 'x-locked', reason: 'in use' } })
    const subject = await push('x-subject')
    const { bytes } = await held().oci.send(`/v2/${name}/manifests/${subject}`)
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    const sbom = await push('x-sbom', { subject: { mediaType, digest: subject, size: bytes.length } })
    const doomed = await push('x-doomed')
    const several = await push('x-several')
    await held().oci.pushManifest(name, 'dev-several', await held().oci.image(name, `${name.split('/')[2]} x-several`))
    await policy([keep('subject', { tag_patterns: ['x-subject'] })], {})
    await policy([keep('all', {})], { enabled: false })
    const { evaluation } = await run([
      drop('old'),
      drop('dev', { tag_patterns: ['dev-*'] }),
      keep('named', { tag_patterns: ['x-several'] }),
    ])
    const kept = await left()
    expect([...kept.keys()].toSorted()).toEqual([child, index, locked, subject, sbom, several].toSorted())
    expect(kept.get(several)).toEqual(['x-several'])
    const outcomes = Object.fromEntries(
      (evaluation?.candidates ?? []).map(({ digest, outcome, rule_id }) => [
        digest,
        `${outcome.replace('REGISTRY_RETENTION_OUTCOME_', '')} ${rule_id}`,
      ]),
    )
    expect(outcomes).toEqual({
      [child]: 'KEPT old',
      [index]: 'IMMUTABLE old',
      [locked]: 'LOCKED old',
      [subject]: 'KEPT subject',
      [sbom]: 'KEPT old',
      [doomed]: 'DELETED old',
      [several]: 'UNTAGGED dev',
    })
    expect(evaluation).toMatchObject({ examined: 7, matched: 7, kept: 4, locked: 1, deleted: 1 })
    expect(await doctorFindings(held().place)).toEqual([])
  })

  it('deletes an index before its children, and a subject before its referrers', async () => {
    const { left, name, push, pushIndex, run } = await newRepository()
    const child = await push('child')
    const index = await pushIndex('index', [child])
    const { bytes } = await held().oci.send(`/v2/${name}/manifests/${index}`)
    await push('sbom', { subject: { mediaType: ociIndex, digest: index, size: bytes.length } })
    const { evaluation } = await run([drop('old')])
    expect([...(await left()).keys()]).toEqual([])
    expect(evaluation).toMatchObject({ matched: 3, deleted: 3 })
  })

  it('records an audit event and an activity of each removal by the platform', async () => {
    const { api, workspace } = held()
    const { id, name, push, run } = await newRepository()
    const digest = await push('dev-1')
    const both = await push('dev-2')
    await held().oci.pushManifest(name, 'v2', await held().oci.image(name, `${name.split('/')[2]} dev-2`))
    await run([drop('dev', { tag_patterns: ['dev-*'] })])
    const filter = `action = REGISTRY_AUDIT_ACTION_RETENTION_DELETE AND repository_id = "${id}"`
    const { audit_events } = await api.registry.listAuditEvents({ workspace, filter })
    expect(audit_events.map(event => [event.digest, event.tag, event.principal_id]).toSorted()).toEqual(
      [
        [digest, '', '00000000-0000-7000-8000-000000000001'],
        [both, 'dev-2', '00000000-0000-7000-8000-000000000001'],
      ].toSorted(),
    )
  })

  it.each(['before', 'after'] as const)('that ends %s any commit is resumed, and counts nothing twice', async at => {
    class Crash extends Error {}
    let commit = 1
    for (let isCrashed = true; isCrashed; commit += 1) {
      const { begin, oci, store, work } = held()
      const { left, name, policy, push, result } = await newRepository()
      const image = await oci.image(name, 'one')
      for (let i = 0; i < 9; i += 1) await oci.pushManifest(name, `dev-${i}`, { ...image, annotations: { i: `${i}` } })
      const kept = await push('v1')
      const made = await policy([drop('dev', { tag_patterns: ['dev-*', 'v1'] }), keep('v', { tag_patterns: ['v*'] })])
      await begin(made)
      isCrashed = false
      const around: Around = async (run, count) => {
        if (count < commit) return run()
        isCrashed = true
        if (at === 'after' && count === commit) await run()
        throw new Crash()
      }
      await work(made, around).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
      if (isCrashed) await work(made)
      expect([...(await left()).keys()]).toEqual([kept])
      expect(await result(made)).toMatchObject({ examined: 10, matched: 10, kept: 1, deleted: 9 })
      expect((await result(made))?.candidates).toHaveLength(10)
      expect(await store.get(retentionRunCollection, made)).toBeUndefined()
    }
    // Two batches of deletions, the end of the repository, and the end of the run. A slow run notes its progress as well.
    expect(commit - 1).toBeGreaterThanOrEqual(5)
    expect(await doctorFindings(held().place)).toEqual([])
  })
})

type Repository = Awaited<ReturnType<typeof newRepository>>

interface Change {
  readonly name: string
  /** The outcome of the artifact; `none` if no rule matches it any more. */
  readonly outcome: string
  readonly make: (repository: Repository, digest: string) => Promise<unknown>
}

const changes: readonly Change[] = [
  {
    name: 'a deployment lock',
    outcome: 'LOCKED',
    make: ({ at }) =>
      held().api.registry.createDeploymentLock({ ...at, body: { reference: 'dev-1', reason: 'raced' } }),
  },
  { name: 'a new push', outcome: 'none', make: ({ push }) => push('dev-1') },
  {
    name: 'a pull',
    outcome: 'none',
    make: ({ id }, digest) => setTimes(id, digest, { last_pull_time: new Date().toISOString() }),
  },
  {
    name: 'the move of its tag',
    outcome: 'none',
    make: async ({ name }) => {
      const { oci } = held()
      await oci.pushManifest(name, 'dev-1', await oci.image(name, 'moved'))
    },
  },
  { name: 'a new index', outcome: 'KEPT', make: ({ pushIndex }, digest) => pushIndex('index', [digest]) },
  { name: 'a KEEP rule of a new policy', outcome: 'KEPT', make: ({ policy }) => policy([keep('all', {})], {}) },
  {
    name: 'an immutable tag',
    outcome: 'IMMUTABLE',
    make: ({ id }) => {
      const { api, workspace } = held()
      const body = { tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE' as const }
      return api.registry.updateRepository({ workspace, engine: 'native', id, update_mask: 'tag_mutability', body })
    },
  },
]

/** Sets times of an artifact. */
const setTimes = (
  repository: string,
  digest: string,
  times: Partial<Pick<StoredArtifact, 'last_pull_time' | 'push_time'>>,
): Promise<void> =>
  held().store.tx(async tx => {
    const stored = await tx.get(artifactCollection, rowOf(repository, digest))
    if (!stored) throw new Error(`there is no artifact ${digest}`)
    await tx.update(artifactCollection, stored.id, { ...stored.value, ...times }, stored.version)
  })

it.each(changes)('$name after the decision of a run keeps the artifact', async ({ make, outcome }) => {
  const repository = await newRepository()
  const digest = await repository.push('dev-1')
  await setTimes(repository.id, digest, { push_time: '2026-01-01T00:00:00.000Z' })
  const rule = drop('old', { tag_state: 'REGISTRY_TAG_STATE_TAGGED', pulled_before: '3600s' })
  const { evaluation } = await repository.run([rule], enforce, async (run, count) => {
    if (count === 1) await make(repository, digest)
    return run()
  })
  expect((await repository.left()).has(digest)).toBe(true)
  const found = evaluation?.candidates.find(each => each.digest === digest)?.outcome ?? 'none'
  expect(found.replace('REGISTRY_RETENTION_OUTCOME_', '')).toBe(outcome)
})
