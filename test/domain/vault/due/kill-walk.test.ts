import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import { payloadCollection, secretVersionCollection } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { capsulePayloads } from '../../../../domain/vault/capsules/capsules-store.ts'
import { VaultClient } from '../../../../output/vault/client.ts'
import { agendaKinds } from '../../../../domain/vault/work/agenda.ts'
import { outbox } from '../../../../domain/resources/activity-outbox.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testToken } from '../../../server/access/test-access.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { walkedAreas } from '../walked-areas.ts'
import { openDue, overdue, type DuePlatform } from './due-platform.ts'
import type { KilledWork, WorkLine } from './killed-work.ts'

const program = fileURLToPath(new URL('./killed-work.ts', import.meta.url))
const isWalk = process.env['NINEFOLD_KILL_POINTS'] === 'all'

/** The number of points that the test tries by default. */
const mostPoints = 3

interface Ran {
  readonly resources: NonNullable<WorkLine['resources']>
  /** The kind of each point; undefined if the program was killed. */
  readonly points: readonly string[] | undefined
}

function run(place: StorePlace, last: number): Ran {
  const work: KilledWork = { place, last }
  const given = [program, JSON.stringify(work)]
  const { signal, stderr, stdout } = spawnSync(process.execPath, given, { encoding: 'utf8', timeout: 120_000 })
  const lines = stdout
    .split('\n')
    .filter(line => line.startsWith('{"resources"') || line.startsWith('{"points"'))
    .map((line): WorkLine => JSON.parse(line))
  const resources = lines[0]?.resources
  const points = lines[1]?.points
  if (resources === undefined || (points === undefined) !== (signal === 'SIGKILL')) throw new Error(stderr)
  return { resources, points }
}

/** The operations and activities of the platform that the work of a resource makes, in all. */
const made: Readonly<Record<string, readonly string[]>> = {
  'secrets.expire': ['VAULT_OPERATION_TYPE_DELETE'],
  'secrets.announceRotation': ['vault.secrets.rotationDue'],
  'secretVersions.destroy': ['VAULT_OPERATION_TYPE_DESTROY'],
  'cryptoKeys.rotate': ['VAULT_OPERATION_TYPE_ROTATE'],
  'cryptoKeyVersions.destroy': ['VAULT_OPERATION_TYPE_DESTROY'],
}

/** Returns the operations of the system and the notices of each resource; a rotation belongs to the key. */
async function effects({ store, transport }: DuePlatform): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  const add = (id: string, effect: string): void => void found.set(id, [...(found.get(id) ?? []), effect])
  const vault = new VaultClient(transport(testToken))
  for await (const { operation_type, principal_id, resource_id } of vault.iterateOperations({ page_size: 100 })) {
    const isRotation = operation_type === 'VAULT_OPERATION_TYPE_ROTATE'
    const id = isRotation ? resource_id.slice(0, resource_id.indexOf('/')) : resource_id
    if (principal_id === systemPrincipalId) add(id, operation_type)
  }
  for await (const { value } of store.each(outbox))
    if (/\.(?:rotationDue|expiring)$/.test(value.action)) add(value.resource_id, value.action)
  return found
}

/** Opens the platform after a kill, waits until its work is done, and checks that all work was done once. */
async function expectDoneOnce(place: StorePlace, resources: Ran['resources'], point: number): Promise<void> {
  const platform = await openDue(place, worker => ({ ...worker, everyMs: 50 }))
  try {
    const { store } = platform
    await expect.poll(() => overdue(store), { timeout: 60_000 }).toEqual([])
    const found = await effects(platform)
    const certificates = resources.filter(({ kind }) => kind === 'certificates.end').map(({ id }) => id)
    const notices = certificates.map(id => (found.get(id) ?? []).length)
    expect([point, notices]).toEqual([point, [1, 0]])
    for (const { id, kind } of resources)
      if (kind !== 'certificates.end')
        expect([point, kind, found.get(id) ?? []]).toEqual([point, kind, made[kind] ?? []])
    const secret = resources.find(({ kind }) => kind === 'secrets.expire')?.id ?? ''
    const gone = resources.filter(({ kind }) => kind === 'cryptoKeyVersions.destroy')
    expect([
      point,
      await store.count(secretVersionCollection, { secret_id: secret }),
      await store.count(payloadCollection, { secret_id: secret }),
      await Promise.all(gone.map(({ id }) => store.exists(materialCollection, { id }))),
      await Promise.all(resources.map(({ id }) => store.exists(capsulePayloads, { id }))),
    ]).toEqual([point, 0, 0, gone.map(() => false), resources.map(() => false)])
  } finally {
    await platform.close()
  }
  // The test moves the ends of certificates, which their signed certificates contradict.
  const findings = (await doctorFindings(place, walkedAreas)).filter(each => !each.includes('has not_after_time'))
  expect([point, findings]).toEqual([point, []])
}

it(
  'a server that is killed at any call of the due work of the vault leaves the work to the next server, which does it once',
  { timeout: isWalk ? 7_200_000 : 180_000 },
  async () => {
    const place = await testStorePlace()
    const whole = run(place, 0)
    const points = whole.points ?? []
    await expectDoneOnce(place, whole.resources, 0)
    expect(agendaKinds.filter(kind => !points.includes(kind))).toEqual([])
    const stride = Math.max(1, points.length / (isWalk ? Infinity : mostPoints))
    // The erasures end by time, so that the last points are not reached in every run.
    const slot = (point: number): number => Math.floor(point / stride + 0.5)
    const tried = points.map((_, i) => i + 1).filter(point => slot(point) !== slot(point - 1))
    let missed = 0
    for (const point of tried) {
      const { points: left, resources } = run(place, point)
      if (left !== undefined) missed += 1
      await expectDoneOnce(place, resources, point)
    }
    console.log(`${tried.length} of ${points.length} points, ${missed} missed`)
    expect(missed).toBeLessThanOrEqual(Math.ceil(tried.length / 4))
  },
)
