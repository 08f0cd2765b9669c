import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { StorePlace } from '../../../server/platform-store.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { killRounds, killTimeout, serve } from '../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../areas/members.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { servedVault } from '../vault/served-vault.ts'
import { ImageActor } from './load/image-actor.ts'
import { newBlobBucket } from './served-registry.ts'

const actorCount = 4

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one serves the blobs. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The largest number of answered changes between two kills. */
const mostChanges = 12

/** Creates a bucket for blobs by a server that is killed then, and returns the id of the bucket. */
async function bucketAt(place: StorePlace, settings: Readonly<Record<string, string>>): Promise<string> {
  const [server] = (await serve(place, 1, { settings })).servers
  if (!server) throw new Error('no server was started')
  const bucket = await newBlobBucket((await server.admin()).api)
  await server.kill()
  return bucket
}

it.each(['folder', 'bucket'] as const)(
  'a server with a %s of blobs that is killed repeatedly while clients push, mount and delete images keeps every acknowledged image with its blobs',
  { timeout: killTimeout },
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
    const served = await serve(place, serverCount, { settings })
    const first = await served.servers[0]?.admin()
    if (!first) throw new Error('no server was started')
    let password = first.token
    const { workspace } = await addTenant(first.api, 'acme')
    const names = Array.from({ length: actorCount }, (_, i) => `load-${i}`)
    for (const name of names) await first.api.registry.createRepository({ workspace, engine: 'native', body: { name } })
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
    const running = Promise.all(
      actors.map(async actor => {
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
      for (const actor of actors) actor.renew()
    }
    load.isOver = true
    await running
    for (const actor of actors) for (const tag of actor.known.keys()) await actor.check(tag)
    console.log(`${killRounds} kills, ${load.changes} pushes and deletions`)
    expect(actors.flatMap(({ faults }) => faults)).toEqual([])
    expect(await doctorFindings({ ...place, given })).toEqual([])
  },
)
