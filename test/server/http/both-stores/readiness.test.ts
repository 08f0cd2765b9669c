import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../../../server/serve.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { testAccess, testToken } from '../../access/test-access.ts'
import { sampleArea } from '../../sample-area.ts'
import { fill, needsMount, smallDisk } from '../../small-disk.ts'
import { postgresUrl } from '../../store/harness.ts'
import { holdStore, runSql, testStorePlace } from '../../store/left-place.ts'

const within = { timeout: 60_000, interval: 50 }

async function served(place: StorePlace) {
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const server = await serve({ baseUrl: undefined, ...place, http }, [sampleArea()], testAccess)
  onTestFinished(() => server.close())
  const authorization = `Bearer ${testToken}`
  const headers = { authorization, 'content-type': 'application/json' }
  return {
    async create(name: string): Promise<number> {
      const body = JSON.stringify({ name })
      return (await fetch(`${server.url}/sample/v1/crates`, { method: 'POST', headers, body })).status
    },
    async list(): Promise<number> {
      return (await fetch(`${server.url}/sample/v1/crates`, { headers })).status
    },
    async ready(): Promise<unknown> {
      const answer = await fetch(`${server.url}/readyz`)
      return { code: answer.status, ...JSON.parse(await answer.text()) }
    },
  }
}

const ready = { code: 200, status: 'ready' }
const unwritable = { code: 200, status: 'degraded', reason: 'the store cannot be written' }
const givenUp = { code: 200, status: 'degraded', reason: 'the store has given up changes' }

/** Returns the SQL that makes a database refuse inserts and updates of a table, with the error of a full disk. */
const failing = (table: string): string => `
  CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION full_disk()`

describe('a server whose store', () => {
  it('is locked by another process reports that it cannot write, and later that it can again', async () => {
    const place = await testStorePlace()
    const server = await served(place)
    await expect.poll(server.ready, within).toEqual(ready)
    const release = await holdStore(place, 'ninefold_processes')
    await expect.poll(server.ready, within).toEqual(unwritable)
    expect(await server.list()).toBe(200)
    await release()
    await expect.poll(server.ready, within).toEqual(ready)
  })

  it('is full reports the fault, serves reads, and is ready when there is room', async context => {
    const isPostgres = postgresUrl() !== undefined
    const disk = isPostgres ? undefined : smallDisk(16_384)
    if (!isPostgres && disk === undefined) return context.skip(needsMount)
    const place = { ...(await testStorePlace()), ...(disk !== undefined && { dataDir: join(disk, 'data') }) }
    const server = await served(place)
    expect(await server.create('before')).toBe(200)
    if (disk === undefined) await runSql(place, failing('sample_crates'))
    else fill(disk, 0)
    const large = 'x'.repeat(200_000)
    await expect.poll(() => server.create(large), within).toBe(503)
    expect([givenUp, unwritable]).toContainEqual(await server.ready())
    expect(await server.list()).toBe(200)
    if (disk === undefined) await runSql(place, 'DROP TRIGGER full_disk ON sample_crates')
    else rmSync(join(disk, 'filler'))
    expect(await server.create('after')).toBe(200)
    await expect.poll(server.ready, within).toEqual(ready)
  })

  it('cannot be written at all reports the fault', async context => {
    if (postgresUrl() === undefined) return context.skip('a file that is open cannot be closed to its owner')
    const place = await testStorePlace()
    const server = await served(place)
    await runSql(place, failing('ninefold_processes'))
    await expect.poll(server.ready, within).toEqual(unwritable)
    await runSql(place, 'DROP TRIGGER full_disk ON ninefold_processes')
    await expect.poll(server.ready, within).toEqual(ready)
  })
})
