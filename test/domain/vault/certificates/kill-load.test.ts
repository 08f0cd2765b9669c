import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { readList } from '../../../../domain/vault/revocation/read-list.ts'
import type { VaultOperation } from '../../../../output/vault/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { startClientProgram } from '../../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../../areas/kill/restarts.ts'
import { addTenant } from '../../../areas/members.ts'
import type { Sets } from '../../../server/killed/journal.ts'
import { reckon } from '../../../server/killed/reckoning.ts'
import { postgresUrl, testFolder } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import type { CertificateLoad } from './certificate-load.ts'
import { certificateCalls } from './tenant-certificates.ts'

const program = fileURLToPath(new URL('./certificate-load.ts', import.meta.url))

const actors = 4

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** Returns the settings of servers with one root key. */
function sealSettings(): Readonly<Record<string, string>> {
  const file = join(testFolder(), 'root.key')
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  return { NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${file}` }
}

it(
  'a server that is killed repeatedly while clients issue and revoke loses no certificate and no revocation',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount, { settings: sealSettings() })
    const admin = await served.servers[0]?.admin()
    if (!admin) throw new Error('no server was started')
    const { workspace } = await addTenant(admin.api, 'acme')
    const at = { workspace, engine: 'native' }
    const authority = await certificateCalls({ admin, at, workspace }).root('root')
    const load: Omit<CertificateLoad, 'name' | 'token'> = { addresses: served.addresses, actors, authority, workspace }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    const { vault } = last.api
    const page_size = 100
    const things: (readonly [string, Sets])[] = []
    const serials: string[] = []
    const revoked: string[] = []
    for await (const each of vault.iterateCertificates({ ...at, certificate_authority: authority, page_size })) {
      const state = each.state.replace('VAULT_CERTIFICATE_STATE_', '')
      things.push([each.name, { state }])
      serials.push(each.serial_number)
      if (state === 'REVOKED') revoked.push(each.serial_number)
    }
    const operations: VaultOperation[] = []
    const filter = 'resource_type = "vault.certificates"'
    for await (const each of vault.iterateOperations({ page_size, filter, order_by: 'insert_time' })) {
      operations.push(each)
    }
    expect(reckon(journal, { area: 'vault', operations, things })).toEqual([])
    expect(new Set(serials).size).toBe(serials.length)
    const { der_crl } = await vault.getCertificateRevocationList({ ...at, id: authority })
    expect(readList(Buffer.from(der_crl, 'base64')).serials).toEqual(revoked.toSorted())
    expect(await doctorFindings(place)).toEqual([])
  },
)
