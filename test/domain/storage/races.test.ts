import { setTimeout as nextPoll } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import type { BucketInput, PresignedUrl } from '../../../output/storage/types.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { fromStatus } from '../../../runtime/status.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../areas/race.ts'
import { HeldLifecycle } from './lifecycle/ruled-storage.ts'
import { patientApi, sendPatiently, signed } from './patient-calls.ts'
import { tenantStorage, type TenantStorage } from './tenant-storage.ts'
import { afterTests } from '../../undo.ts'

const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined

const lifecycle = new HeldLifecycle()
let tenant: TenantStorage
let api: Ninefold

beforeAll(async () => {
  tenant = await tenantStorage({}, { areas: lifecycle.areas, later: afterTests })
  api = await patientApi(tenant)
})

const storage = () => api.storage

/** Creates a bucket for one race; returns the path to it. */
async function newBucket(name: string, more: Partial<BucketInput> = {}) {
  const { workspace } = tenant
  const made = await storage().createBucket({ workspace, engine: 'native', body: { name, ...more } })
  return { ...tenant.at, bucket: made.resource_id }
}

type Path = TenantStorage['at']

/** Deletes a bucket with its content. */
async function force(at: Path): Promise<void> {
  const operation = await storage().deleteBucket({ ...at, id: at.bucket, force: true })
  for (let made = operation; !isEnded(made); made = await storage().getOperation({ id: made.id })) await nextPoll(5)
}

/** Sends a content over a URL; throws the error of a refusal. */
async function send(url: PresignedUrl, body: string): Promise<string> {
  const answer = await sendPatiently(tenant, url, body)
  if (!answer.ok) throw fromStatus(answer, await answer.json())
  await answer.body?.cancel()
  return answer.headers.get('etag') ?? ''
}

const uploadUrl = (at: Path, object: string, more: { readonly if_none_match?: string } = {}) =>
  signed(() => storage().createPresignedUploadUrl({ ...at, body: { object, ...more } }))

const put = async (at: Path, object: string, body: string): Promise<string> => send(await uploadUrl(at, object), body)

/** Begins an upload with the parts 1 and 2, of which each alone can be the object. */
async function newUpload(at: Path, object: string) {
  const { resource_id: upload_id } = await storage().createMultipartUpload({ ...at, body: { object } })
  const parts = [{ part_number: 1 }, { part_number: 2 }, { part_number: 3 }]
  const { part_urls } = await signed(() => storage().createPartUrls({ ...at, upload_id, body: { parts } }))
  const [first, second, third] = part_urls
  if (!first || !second || !third) throw new Error('a part has no URL')
  const etags = [await send(first, 'first'), await send(second, 'second')]
  const complete = (number: number) => async () => {
    const listed = [{ part_number: number, etag: etags[number - 1] ?? '' }]
    const operation = await storage().completeMultipartUpload({ ...at, upload_id, body: { parts: listed } })
    return operation.id
  }
  return { complete, first, third, abort: () => storage().abortMultipartUpload({ ...at, upload_id }) }
}

const names = async (at: Path): Promise<readonly string[]> =>
  (await storage().listObjects({ ...at, page_size: 100 })).objects.map(({ name }) => name)

const versionsOf = async (at: Path, object: string) =>
  (await storage().listObjects({ ...at, versions: true, filter: `name = "${object}"` })).objects

interface Race {
  readonly name: string
  /** Returns the preparation of a round and the check after it. */
  readonly begin: () => Promise<{
    readonly prepare: (round: number) => Promise<Racers>
    readonly after?: (outcome: string, round: number) => Promise<void>
  }>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'the completion and the abort of an upload',
    async begin() {
      const at = await newBucket('complete-abort')
      return {
        async prepare(round) {
          const { abort, complete } = await newUpload(at, `o${round}`)
          return [complete(1), abort]
        },
        async after(outcome, round) {
          expect((await names(at)).includes(`o${round}`)).toBe(outcome.startsWith('OK'))
          const { usage } = await storage().getBucket({ ...at, id: at.bucket })
          expect(usage).toMatchObject({ incomplete_upload_bytes: 0, bytes: (await names(at)).length * 5 })
          for (const object of await names(at)) await storage().deleteObject({ ...at, object })
        },
      }
    },
    documented: ['OK, UPLOAD_NOT_ACTIVE', 'UPLOAD_NOT_ACTIVE, OK'],
  },
  {
    name: 'two equal completions of an upload',
    async begin() {
      const at = await newBucket('complete-twice')
      let ids: string[] = []
      return {
        async prepare() {
          ids = []
          const { complete } = await newUpload(at, 'a')
          const told = async () => void ids.push(await complete(1)())
          return [told, told]
        },
        async after() {
          expect(new Set(ids).size).toBe(1)
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two completions of an upload with different parts',
    async begin() {
      const at = await newBucket('complete-other')
      return {
        async prepare() {
          const { complete } = await newUpload(at, 'a')
          return [complete(1), complete(2)]
        },
      }
    },
    documented: ['OK, UPLOAD_NOT_ACTIVE', 'UPLOAD_NOT_ACTIVE, OK'],
  },
  {
    name: 'a further part and the completion',
    async begin() {
      const at = await newBucket('part-complete')
      return {
        async prepare() {
          const { complete, third } = await newUpload(at, 'a')
          return [() => send(third, 'third'), complete(1)]
        },
      }
    },
    documented: ['OK, OK', 'UPLOAD_NOT_ACTIVE, OK'],
  },
  {
    name: 'another content of a part and the completion with this part',
    async begin() {
      const at = await newBucket('part-again')
      return {
        async prepare() {
          const { complete, first } = await newUpload(at, 'a')
          return [() => send(first, 'other'), complete(1)]
        },
      }
    },
    documented: ['OK, PART_ETAG_MISMATCH', 'UPLOAD_NOT_ACTIVE, OK'],
  },
  {
    name: 'a copy and the deletion of its source',
    async begin() {
      const at = await newBucket('copy-delete')
      return {
        async prepare(round) {
          await put(at, `source${round}`, 'hello')
          const source_object = `source${round}`
          const body = { source_object, destination_object: `copy${round}` }
          return [
            () => storage().copyObject({ ...at, body }),
            () => storage().deleteObject({ ...at, object: source_object }),
          ]
        },
        async after(outcome, round) {
          const isCopied = outcome.startsWith('OK')
          expect(await names(at)).toEqual(isCopied ? [`copy${round}`] : [])
          if (isCopied) await storage().deleteObject({ ...at, object: `copy${round}` })
        },
      }
    },
    documented: ['OK, OK', 'OBJECT_NOT_FOUND, OK'],
  },
  {
    name: 'two uploads that must not replace an object',
    async begin() {
      const at = await newBucket('put-new')
      return {
        async prepare(round) {
          const urls = [1, 2].map(() => uploadUrl(at, `o${round}`, { if_none_match: '*' }))
          return (await Promise.all(urls)).map((url, i) => () => send(url, `content ${i}`))
        },
      }
    },
    documented: ['OK, OBJECT_ALREADY_EXISTS', 'OBJECT_ALREADY_EXISTS, OK'],
  },
  {
    name: 'the deletion of an object and an upload of the object',
    async begin() {
      const at = await newBucket('delete-put')
      return {
        async prepare() {
          await put(at, 'a', 'old')
          const url = await uploadUrl(at, 'a')
          return [() => storage().deleteObject({ ...at, object: 'a' }), () => send(url, 'newer')]
        },
        async after() {
          // The upload comes last, or the deletion deletes the content that it found.
          const sizes = (await versionsOf(at, 'a')).map(({ size }) => size)
          expect([[], [5]]).toContainEqual(sizes)
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the deletion of an empty bucket and an upload',
    async begin() {
      let at: Path
      return {
        async prepare(round) {
          at = await newBucket(`delete-${round}`)
          const url = await uploadUrl(at, 'a')
          return [() => storage().deleteBucket({ ...at, id: at.bucket }), () => send(url, 'hello')]
        },
        async after(outcome) {
          if (outcome.startsWith('OK')) return
          await force(at)
        },
      }
    },
    documented: ['OK, BUCKET_NOT_FOUND', 'BUCKET_NOT_EMPTY, OK'],
  },
  {
    name: 'the deletion of a bucket by force and an upload',
    async begin() {
      return {
        async prepare(round) {
          const at = await newBucket(`force-${round}`)
          const url = await uploadUrl(at, 'a')
          return [() => force(at), () => send(url, 'hello')]
        },
      }
    },
    documented: ['OK, OK', 'OK, BUCKET_DELETING', 'OK, BUCKET_NOT_FOUND'],
  },
  {
    name: 'the start of versioning and an upload over an object',
    async begin() {
      let at: Path
      return {
        async prepare(round) {
          at = await newBucket(`versions-${round}`)
          await put(at, 'a', 'old')
          const url = await uploadUrl(at, 'a')
          const body = { versioning: 'STORAGE_VERSIONING_ENABLED' } as const
          return [
            () => storage().updateBucket({ ...at, id: at.bucket, update_mask: 'versioning', body }),
            () => send(url, 'newer'),
          ]
        },
        async after() {
          const sizes = (await versionsOf(at, 'a')).map(({ size }) => size)
          expect([[5], [5, 3]]).toContainEqual(sizes)
          await force(at)
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the rules and an upload over an old object',
    async begin() {
      const rule = { id: 'old', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 1 } } as const
      const at = await newBucket('rules', { lifecycle_rules: [rule] })
      return {
        async prepare(round) {
          const object = `o${round}`
          await put(at, object, 'old')
          await lifecycle.age(at.bucket, object, 1)
          const url = await uploadUrl(at, object)
          return [() => lifecycle.run(), () => send(url, 'newer')]
        },
        async after(_outcome, round) {
          // The rules find the old content or none; they never delete the young content.
          expect((await versionsOf(at, `o${round}`)).map(({ size }) => size)).toEqual([5])
          await storage().deleteObject({ ...at, object: `o${round}` })
        },
      }
    },
    documented: ['OK, OK'],
  },
]

describe('concurrent calls on objects', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 120_000 + raceRounds * 4000 },
    async ({ begin, documented, name }) => {
      api = await patientApi(tenant)
      const { after, prepare } = await begin()
      const outcomes = await race(raceRounds, prepare, after)
      if (isLong) console.log(`${name}: ${toldOutcomes(outcomes)}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it.each([
    ['quota_objects', { quota_objects: 3 }],
    ['quota_bytes', { quota_bytes: 15 }],
  ] as const)('fill %s exactly', { timeout: 120_000 + raceRounds * 4000 }, async (name, quota) => {
    const at = await newBucket(name.replace('_', '-'), quota)
    const outcomes = await race(
      raceRounds,
      async round => {
        const urls = [1, 2, 3, 4, 5, 6].map(i => uploadUrl(at, `o${round}-${i}`))
        return (await Promise.all(urls)).map(url => () => send(url, 'hello'))
      },
      async outcome => {
        expect(outcome.split(', ').toSorted()).toEqual([...Array(3).fill('OK'), ...Array(3).fill('QUOTA_EXCEEDED')])
        for (const object of await names(at)) await storage().deleteObject({ ...at, object })
      },
    )
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
  })

  it('leave a sound store', { timeout: 120_000 }, async () => {
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
    expect(tenant.platform.lines.filter(line => line.includes('work of storage failed'))).toEqual([])
  })
})
