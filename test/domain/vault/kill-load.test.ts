import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad } from '../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { runningApi, servedTenant } from '../../areas/kill/served-tenant.ts'
import { reckon } from '../../server/killed/reckoning.ts'
import { testFolder } from '../../server/store/harness.ts'
import { contradicted, readKept, settled } from './load/kept-vault.ts'
import { readProofs } from './load/proofs.ts'
import type { VaultLoad } from './load/vault-load.ts'
import { servedVault } from './served-vault.ts'
import { engine } from './tenant-secrets.ts'

const program = fileURLToPath(new URL('./load/vault-load.ts', import.meta.url))

const actors = 4

it(
  'a server that is killed repeatedly while clients use secrets, keys and capsules loses no acknowledged change, repeats none, and brings nothing back',
  { timeout: killTimeout },
  async () => {
    const { place, served, workspace } = await servedTenant({ settings: servedVault() })
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
    const api = await runningApi(served)
    const at = { workspace, engine }
    await settled(api, at)
    expect(reckon(journal, await readKept(api, at))).toEqual([])
    expect(await contradicted(api, at, facts)).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
