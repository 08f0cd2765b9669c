import { createHash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ComputeOperation, CreateVmRequest } from '../../../../output/compute/types.ts'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { diskFolderOf, fileNameOf } from '../../../../server/compute/disk-folder.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { killRounds, killTimeout, type Served } from '../../../areas/kill/kill-under-load.ts'
import { restartsOf, toldRestarts } from '../../../areas/kill/restarts.ts'
import { runningApi, serverCount, servedTenant } from '../../../areas/kill/served-tenant.ts'
import { dataCalls } from '../../storage/load/data-calls.ts'
import { servedVault } from '../../vault/served-vault.ts'
import { tinyBody } from '../tenant-vms.ts'

const size = 64 * 2 ** 20
const content = Buffer.alloc(
  size,
  Uint8Array.from({ length: 251 }, (_, at) => at),
)
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const digest = digestOf(content)

/** The longest wait for the end of an operation, in milliseconds; a dead server keeps its leases for 15 seconds. */
const patienceMs = 60_000

const bootDisk = ({ dataDir }: StorePlace, vm: string): string => join(diskFolderOf(dataDir), vm, fileNameOf(''))

/** Returns the digest of the first bytes of a boot disk, as many as the object has. */
function diskDigest(place: StorePlace, vm: string): string {
  const bytes = Buffer.alloc(size)
  const file = openSync(bootDisk(place, vm), 'r')
  try {
    readSync(file, bytes, 0, size, 0)
  } finally {
    closeSync(file)
  }
  return digestOf(bytes)
}

/** Waits until a boot disk has some bytes of its object, or for a moment if the servers keep no disks. */
async function copied(place: StorePlace, vm: string, bytes: number): Promise<void> {
  if (place.storeUrl !== undefined) return void (await sleep(Math.random() * 300))
  const until = performance.now() + patienceMs
  const blocks = () => lstatSync(bootDisk(place, vm), { throwIfNoEntry: false })?.blocks ?? 0
  while (blocks() * 512 <= bytes && performance.now() < until) await sleep(1)
}

/** The errors of a server that cannot read the content; its clients repeat the call until their time limit. */
const elsewhere: readonly string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED']

/** Creates a machine at the server with the content, which alone can read the header of an object. */
async function createdAt({ servers }: Served, request: CreateVmRequest): Promise<ComputeOperation> {
  for (let at = 0; ; at += 1) {
    const { api } = (await servers[at % servers.length]?.admin()) ?? {}
    try {
      const options = { idempotencyKey: request.body.name, timeoutMs: 5_000 }
      const made = await api?.compute.createVm(request, options)
      if (made) return made
    } catch (error) {
      if (!(error instanceof ApiError) || !elsewhere.includes(error.rpc)) throw error
    }
    await sleep(50)
  }
}

it(
  'a server that is killed while it copies an object to a boot disk leaves a machine with the whole object',
  { timeout: killTimeout },
  async () => {
    const settings = { ...servedVault(), NINEFOLD_COMPUTE_SIM_TIME_SCALE: '0' }
    const { api, place, served, workspace } = await servedTenant({ settings })
    const { storage } = api
    const at = { workspace, engine: 'native' }
    const { resource_id: bucket } = await storage.createBucket({ ...at, body: { name: 'disks' } })
    const upload: PresignedUrl = await storage.createPresignedUploadUrl({ ...at, bucket, body: { object: 'disk' } })
    expect((await dataCalls(served.addresses)(upload, new Uint8Array(content))).status).toBe(200)
    const source = { boot_disk: { source_object: { bucket_id: bucket, object: 'disk' } } }
    const startsMs: number[] = []
    let unfinished = 0
    for (let round = 0; round < killRounds; round += 1) {
      const body = { ...tinyBody, name: `web-${round}`, ...source }
      const { id, resource_id } = await createdAt(served, { workspace, body })
      await copied(place, resource_id, Math.random() * 0.9 * size)
      const before = await (await runningApi(served)).compute.getOperation({ id })
      if (!isEnded(before)) unfinished += 1
      startsMs.push(await served.restart(round % serverCount))
      const { compute } = await runningApi(served)
      const ended = async () => isEnded(await compute.getOperation({ id }))
      await expect.poll(ended, { timeout: patienceMs, interval: 50 }).toBe(true)
      expect(await compute.getOperation({ id })).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', errors: [] })
      expect(await compute.getVm({ workspace, id: resource_id })).toMatchObject({
        status: 'NATIVE_VM_STATUS_RUNNING',
        boot_count: 1,
      })
      if (place.storeUrl === undefined) expect(diskDigest(place, resource_id)).toBe(digest)
      expect(await doctorFindings(place)).toEqual([])
    }
    console.log(`${killRounds} kills, ${unfinished} in an operation; ${toldRestarts(restartsOf(startsMs))}`)
    if (place.storeUrl === undefined) expect(unfinished).toBeGreaterThan(0)
  },
)
