import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import type { StorageClient } from '../../../output/storage/client.ts'
import type { BucketInput, StorageOperation } from '../../../output/storage/types.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad } from '../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { runningApi, servedTenant } from '../../areas/kill/served-tenant.ts'
import { reckon, type Kept } from '../../server/killed/reckoning.ts'
import type { Sets } from '../../server/killed/journal.ts'
import { testFolder } from '../../server/store/harness.ts'
import { servedVault } from '../vault/served-vault.ts'
import { dataCalls, digestOf, type DataCall } from './load/data-calls.ts'
import { thingOf } from './load/object-actor.ts'
import type { StorageLoad } from './load/storage-load.ts'

const program = fileURLToPath(new URL('./load/storage-load.ts', import.meta.url))

const actors = 4
const page_size = 100
const engine = 'native'

/** Rules that delete the objects that no actor expects to stay, and older versions, at each start of a server. */
const ruled: Partial<BucketInput> = {
  lifecycle_rules: [
    { id: 'passing', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 0, prefix: 'shared/' } },
    { id: 'older', action: 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT', condition: { num_newer_versions: 2 } },
  ],
}

it(
  'a server that is killed repeatedly while clients upload, copy and delete objects loses no acknowledged change, and repeats none',
  { timeout: killTimeout },
  async () => {
    const { api, place, served, workspace } = await servedTenant({ settings: servedVault() })
    const before = await newBuckets(api.storage, workspace)
    const { buckets } = before
    const faults = join(testFolder(), 'faults')
    writeFileSync(faults, '')
    const load: Omit<StorageLoad, 'name' | 'token'> = {
      addresses: served.addresses,
      actors,
      buckets,
      faults,
      workspace,
    }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    expect(journal.troubles.lost).toBeGreaterThan(0)
    const { storage } = await runningApi(served)
    await expect.poll(() => openOperations(storage), { timeout: 60_000, interval: 250 }).toEqual([])
    const runs = await storage.listOperations({ filter: `principal_id = "${systemPrincipalId}"`, page_size })
    console.log(
      `${killRounds} kills, ${journal.outcomes.size} calls, ${runs.operations.length}${runs.next_page_token === '' ? '' : ' and more'} runs of rules; ${toldRestarts(restarts)}`,
    )
    const at = { workspace, engine }
    expect(reckon(journal, await readKept(storage, at, before, dataCalls(served.addresses)))).toEqual([])
    expect(readFileSync(faults, 'utf8')).toBe('')
    expect(await doctorFindings(place)).toEqual([])
  },
)

/** The ids of the buckets of a load, and of the operations before the load. */
interface Before {
  readonly buckets: readonly string[]
  readonly operations: ReadonlySet<string>
}

/** Makes a bucket without versions and a versioned bucket on one instance, and a bucket on another instance. */
async function newBuckets(storage: StorageClient, workspace: string): Promise<Before> {
  const storage_class = 'archive'
  await storage.createStorageClass({ engine, body: { name: storage_class, tier: 'STORAGE_TIER_ARCHIVE' } })
  await storage.waitOperation(
    await storage.instantiateStorageClass({ storage_class, body: { name: 'archive-local', location: 'local' } }),
  )
  const bodies: readonly BucketInput[] = [
    { name: 'plain', ...ruled },
    { name: 'versioned', versioning: 'STORAGE_VERSIONING_ENABLED', ...ruled },
    { name: 'archived', storage_class },
  ]
  const buckets: string[] = []
  for (const body of bodies) buckets.push((await storage.createBucket({ workspace, engine, body })).resource_id)
  const operations = new Set<string>()
  for await (const { id } of storage.iterateOperations({ page_size })) operations.add(id)
  return { buckets, operations }
}

async function openOperations(storage: StorageClient): Promise<readonly string[]> {
  const open: string[] = []
  for await (const operation of storage.iterateOperations({ page_size }))
    if (!isEnded(operation)) open.push(operation.id)
  return open
}

/** Reads all objects of the buckets with their contents, and the operations of callers. */
async function readKept(
  storage: StorageClient,
  at: { readonly workspace: string; readonly engine: string },
  before: Before,
  data: DataCall,
): Promise<Kept> {
  const things: (readonly [string, Sets])[] = []
  for (const bucket of before.buckets) {
    for await (const { name: object, size } of storage.iterateObjects({ ...at, bucket, page_size })) {
      const answer = await data(await storage.createPresignedDownloadUrl({ ...at, bucket, body: { object } }))
      const bytes = await answer.bytes()
      expect([answer.status, bytes.length]).toEqual([200, size])
      const isPassing = object.startsWith('shared/')
      things.push([isPassing ? object : thingOf(bucket, object), { content: digestOf(bytes) }])
    }
  }
  const operations: StorageOperation[] = []
  for await (const operation of storage.iterateOperations({ page_size, order_by: 'insert_time' }))
    if (operation.principal_id !== systemPrincipalId && !before.operations.has(operation.id)) operations.push(operation)
  return { area: 'storage', operations, things }
}
