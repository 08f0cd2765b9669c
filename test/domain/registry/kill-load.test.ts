import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { killRounds, killTimeout, serve } from '../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../areas/members.ts'
import { patient } from '../../areas/patient-fetch.ts'
import type { ServedPlatform } from '../../server/iam/served-platform.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { servedVault } from '../vault/served-vault.ts'
import { ImageActor } from './load/image-actor.ts'
import { RetainedActor } from './load/retained-actor.ts'
import { newBlobBucket } from './served-registry.ts'

const actorCount = 4

/** The program of the servers. */
const program = fileURLToPath(new URL('./load/serve-schedules.ts', import.meta.url))

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one serves the blobs. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The largest number of answered changes between two kills. */
const mostChanges = 12

/** Signs the administrator in at a server; the calls are patient while the server has not read the latest changes. */
async function signedIn(
  server: ServedPlatform | undefined,
): Promise<{ readonly token: string; readonly api: Ninefold }> {
  if (!server) throw new Error('no server was started')
  const { token } = await server.admin()
  return { token, api: new Ninefold(createTransport({ baseUrl: server.url, token, fetch: patient(fetch) })) }
}

/** Creates a bucket for blobs by a server that is killed then, and returns the id of the bucket. */
async function bucketAt(place: StorePlace, settings: Readonly<Record<string, string>>): Promise<string> {
  const [server] = (await serve(place, 1, { settings })).servers
  const bucket = await newBlobBucket((await signedIn(server)).api)
  await server?.kill()
  return bucket
}

/**
 * Waits until retention has deleted something, and no operation is open: neither a scan nor a run of retention lasts for
 * ever. Returns the number of deletions by retention, at most 1,000.
 */
async function untilIdle({ registry }: Ninefold, workspace: string): Promise<number> {
  const deleted = async () => {
    const filter = 'action=REGISTRY_AUDIT_ACTION_RETENTION_DELETE'
    return (await registry.listAuditEvents({ workspace, filter, page_size: 1000 })).audit_events.length
  }
  await expect.poll(deleted, { timeout: 120_000, interval: 500 }).toBeGreaterThan(0)
  const states = ['PENDING', 'RUNNING'].map(state => `status=REGISTRY_OPERATION_STATUS_${state}`)
  const open = async () => (await registry.listOperations({ filter: states.join(' OR ') })).operations
  await expect.poll(open, { timeout: 240_000, interval: 500 }).toEqual([])
  return deleted()
}

it.each(['folder', 'bucket'] as const)(
  'a server with a %s of blobs that is killed repeatedly while clients push, mount and delete images, images are scanned, and a retention policy deletes images keeps every acknowledged image with its blobs',
  { timeout: killTimeout + 360_000 },
  async blobs => {
    const place = await testStorePlace()
    const settings: Record<string, string> = {
      ...servedVault(),
      NINEFOLD_REGISTRY_GC_GRACE: '0s',
      NINEFOLD_REGISTRY_HOST: 'registry.test',
    }
    const given = new GivenSettings()
    if (blobs === 'bucket') {
      const setting = `bucket:${await bucketAt(place, settings)}`
      settings['NINEFOLD_REGISTRY_BLOB_STORE'] = setting
      given.with(registrySettings['registry.blob_store'], setting)
    }
    const served = await serve(place, serverCount, { settings, program })
    const first = await signedIn(served.servers[0])
    let password = first.token
    const { workspace } = await addTenant(first.api, 'acme')
    const names = Array.from({ length: actorCount }, (_, i) => `load-${i}`)
    const at = { workspace, engine: 'native' }
    for (const name of names) await first.api.registry.createRepository({ ...at, body: { name } })
    const { resource_id: repository } = await first.api.registry.createRepository({ ...at, body: { name: 'retained' } })
    const scans = { quota_definition_id: 'registry.scansPerDay', limit: -1 }
    await first.api.registry.createQuotaLimit({ workspace, body: scans })
    const scanned = { name: 'scans', trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH' as const }
    await first.api.registry.createScanPolicy({ ...at, body: scanned })
    const load = { changes: 0, isOver: false }
    const paths = names.map(name => `acme/web/${name}`)
    const actors = paths.map(
      name =>
        new ImageActor({
          addresses: served.addresses,
          password: () => password,
          name,
          others: paths.filter(other => other !== name),
          answered: () => (load.changes += 1),
        }),
    )
    const own = 'acme/web/retained'
    const acting = { addresses: served.addresses, password: () => password, answered: () => (load.changes += 1) }
    const retained = new RetainedActor({ ...acting, name: own, others: paths, workspace, repository })
    await retained.begin()
    const running = Promise.all(
      [...actors, retained].map(async actor => {
        while (!load.isOver) await actor.step()
      }),
    )
    for (let round = 0; round < killRounds; round += 1) {
      const until = load.changes + Math.ceil(Math.random() * mostChanges)
      while (load.changes < until) await sleep(5)
      await sleep(Math.random() * 30)
      await served.restart(round % serverCount)
      // An access token lasts for 15 minutes.
      if (round % 50 !== 49) continue
      password = (await served.servers[round % serverCount]?.admin())?.token ?? ''
      for (const actor of [...actors, retained.images]) actor.renew()
    }
    load.isOver = true
    await running
    for (const actor of actors) for (const tag of actor.known.keys()) await actor.check(tag)
    await retained.runSoon('0-59 * * * *')
    const deletions = await untilIdle((await signedIn(served.servers[0])).api, workspace)
    await retained.check()
    console.log(`${killRounds} kills, ${load.changes} pushes and deletions, ${deletions} deletions by retention`)
    expect([...actors, retained.images].flatMap(({ faults }) => faults)).toEqual([])
    expect(await doctorFindings({ ...place, given })).toEqual([])
  },
)
