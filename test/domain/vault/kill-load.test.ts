import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import type { VaultOperation } from '../../../output/vault/types.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { addTenant } from '../../areas/members.ts'
import { reckon, type Kept } from '../../server/killed/reckoning.ts'
import type { Sets } from '../../server/killed/journal.ts'
import { postgresUrl, testFolder } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import type { SecretLoad } from './secret-load.ts'
import { secretCalls } from './tenant-secrets.ts'

const program = fileURLToPath(new URL('./secret-load.ts', import.meta.url))

const actors = 4

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** Reads all secrets of a workspace with their latest payloads, and the operations of the area. */
async function readKept(api: Ninefold, workspace: string): Promise<Kept> {
  const { at, read } = secretCalls({ api }, workspace)
  const page_size = 100
  const things: (readonly [string, Sets])[] = []
  for await (const { description, id, latest_version, name } of api.vault.iterateSecrets({ ...at, page_size })) {
    things.push([name, { description, value: latest_version === '' ? '' : await read(id, 'latest') }])
  }
  const operations: VaultOperation[] = []
  for await (const operation of api.vault.iterateOperations({ page_size, order_by: 'insert_time' })) {
    operations.push(operation)
  }
  return { area: 'vault', operations, things }
}

/** Returns the settings of servers with one root key. */
function sealSettings(): Readonly<Record<string, string>> {
  const file = join(testFolder(), 'root.key')
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  return { NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${file}` }
}

it(
  'a server that is killed repeatedly while clients change secrets loses no acknowledged payload and repeats no change',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount, { settings: sealSettings() })
    const first = await served.servers[0]?.admin()
    if (!first) throw new Error('no server was started')
    const { workspace } = await addTenant(first.api, 'acme')
    const load: Omit<SecretLoad, 'name' | 'token'> = { addresses: served.addresses, actors, workspace }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    expect(reckon(journal, await readKept(last.api, workspace))).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
