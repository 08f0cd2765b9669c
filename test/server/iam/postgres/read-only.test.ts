import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { storeCollections } from '../../../../server/platform-store.ts'
import { areas } from '../../../../server/areas.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { outcomeOf } from '../../../domain/outcomes.ts'
import { testStoreUrl } from '../../store/harness.ts'

/**
 * Makes a user of the database. Returns the URL of the store for this user, and a function that decides whether the
 * user's sessions may write: the server ends the present sessions, as at a failover, and new sessions obey.
 */
async function switchable(storeUrl: string) {
  const postgres = inject('postgres')
  if (!('url' in postgres)) throw new Error('there is no database')
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const name = `ninefold_switched_${process.pid}`
  await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'switched'`)
  const { rows } = await client.query('SELECT current_user AS owner')
  await client.query(`GRANT "${rows[0].owner}" TO ${name}`)
  onTestFinished(async () => {
    await client.query(`DROP ROLE ${name}`)
    await client.end()
  })
  const own = new URL(storeUrl)
  own.username = name
  own.password = 'switched'
  return {
    storeUrl: own.href,
    async mayWrite(may: boolean): Promise<void> {
      await client.query(`ALTER ROLE ${name} SET default_transaction_read_only = ${may ? 'off' : 'on'}`)
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name])
    },
  }
}

it('a server whose store is read only is not ready as long as it refuses its callers', async () => {
  const { storeUrl = '' } = await testStoreUrl(onTestFinished, storeCollections(areas))
  const database = await switchable(storeUrl)
  const platform = await testPlatform({ config: { storeUrl: database.storeUrl } })
  const { api } = await platform.admin()
  const readiness = async (): Promise<string> => {
    const answer = await platform.from('192.0.2.7')(`${baseUrl}/readyz`)
    return `${answer.status} ${(await answer.json()).status}`
  }
  const read = (): Promise<string> => outcomeOf(api.iam.getMyProfile({}))
  expect([await readiness(), await read()]).toEqual(['200 ready', 'OK'])

  await database.mayWrite(false)
  await expect.poll(read, { timeout: 20_000, interval: 100 }).toBe('AUTHORIZATION_STALE')
  for (let i = 0; i < 5; i += 1) {
    expect([await readiness(), await read()]).toEqual(['503 degraded', 'AUTHORIZATION_STALE'])
  }

  await database.mayWrite(true)
  await expect.poll(read, { timeout: 20_000, interval: 100 }).toBe('OK')
  expect(await readiness()).toMatch(/^200 /)
}, 60_000)
