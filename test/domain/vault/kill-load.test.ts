import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { addTenant } from '../../areas/members.ts'
import { reckon } from '../../server/killed/reckoning.ts'
import { postgresUrl, testFolder } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { contradicted, readKept, settled } from './load/kept-vault.ts'
import { readProofs } from './load/proofs.ts'
import type { VaultLoad } from './load/vault-load.ts'
import { servedVault } from './served-vault.ts'
import { engine } from './tenant-secrets.ts'

const program = fileURLToPath(new URL('./load/vault-load.ts', import.meta.url))

const actors = 4

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

it(
  'a server that is killed repeatedly while clients use secrets, keys and capsules loses no acknowledged change, repeats none, and brings nothing back',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount, { settings: servedVault() })
    const first = await served.servers[0]?.admin()
    if (!first) throw new Error('no server was started')
    const { workspace } = await addTenant(first.api, 'acme')
    const proofs = join(testFolder(), 'proofs')
    writeFileSync(proofs, '')
    const load: Omit<VaultLoad, 'name' | 'token'> = { addresses: served.addresses, actors, proofs, workspace }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    const facts = readProofs(proofs)
    console.log(
      `${killRounds} kills, ${journal.outcomes.size} calls, ${facts.length} proofs; ${toldRestarts(restarts)}`,
    )
    expect(journal.troubles.lost).toBeGreaterThan(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    const at = { workspace, engine }
    await settled(last.api, at)
    expect(reckon(journal, await readKept(last.api, at))).toEqual([])
    expect(await contradicted(last.api, at, facts)).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
