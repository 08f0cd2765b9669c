import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { certificateCollection, certificateState } from '../../../../../domain/vault/certificates/certificates-store.ts'
import { agenda } from '../../../../../domain/vault/work/agenda.ts'
import { isEnded } from '../../../../../runtime/operations.ts'
import { areas } from '../../../../../server/areas.ts'
import { leases } from '../../../../../server/operations/periodic.ts'
import { storeCollections } from '../../../../../server/platform-store.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { serve } from '../../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../../areas/members.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { openBeside, testStorePlace } from '../../../../server/store/left-place.ts'
import { patch } from '../../../taxonomy/broken-store.ts'
import { snapshotNames } from '../../snapshots/taken.ts'
import { certificateCalls } from '../tenant-certificates.ts'

const workers = ['vault.agenda', 'vault.revocationLists']
const past = '2026-01-01T00:00:00.000Z'

it('the other server signs lists, records expiries and ends a snapshot after the server that had the leases is killed', async () => {
  const place = await testStorePlace()
  const key = join(testFolder(), 'root.key')
  writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  const settings = { NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${key}` }
  // The first server listens before the second one starts, so the first has the leases.
  const { servers } = await serve(place, 2, { settings })
  const [first, second] = servers
  if (!first || !second) throw new Error('a server is absent')
  const admin = await second.admin()
  const { vault } = admin.api
  const { workspace } = await addTenant(admin.api, 'acme')
  const at = { workspace, engine: 'native' }
  const { issue, root } = certificateCalls({ admin, at, workspace })
  const authority = await root('root')
  const config = { subject: { common_name: 'www.acme.example' } }
  const revoked = await issue(authority, { config, private_key_secret_name: 'one' })
  const ending = await issue(authority, { config, private_key_secret_name: 'two' })
  const numberOf = async () => BigInt((await vault.getCertificateAuthority({ ...at, id: authority })).crl_number || '0')
  await expect.poll(numberOf).toBeGreaterThan(0n)
  const before = await numberOf()

  const store = await openBeside(place, storeCollections(areas))
  const holders = () => Promise.all(workers.map(async name => (await store.get(leases, name))?.value.owner))
  const dead = await holders()
  expect(new Set(dead).size).toBe(1)
  const snapshot = await (await first.admin()).api.vault.takeSnapshot({ body: {} })
  await first.kill()

  const body = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } as const
  await vault.revokeCertificate({ ...at, certificate_authority: authority, id: revoked, body })
  await store.tx(async tx => {
    await patch(tx, certificateCollection, ending, { not_after_time: past })
    await patch(tx, agenda, `certificates.end/${ending}`, { due_time: past })
  })
  const stateOf = async () => (await store.get(certificateCollection, ending))?.value.state
  await expect.poll(numberOf).toBeGreaterThan(before)
  await expect.poll(stateOf).toBe(certificateState('EXPIRED'))
  await expect.poll(async () => isEnded(await vault.getOperation(snapshot))).toBe(true)
  expect(await vault.getOperation(snapshot)).toMatchObject({ status: 'VAULT_OPERATION_STATUS_DONE', errors: [] })
  expect(snapshotNames(place)).toEqual([`vault-${snapshot.resource_id}.snap`])
  const living = await holders()
  expect(new Set(living).size).toBe(1)
  expect(living).not.toContain(dead[0])
  // The certificate in the row still holds, so the doctor names the patched time alone.
  expect(await doctorFindings(place)).toEqual([
    expect.stringMatching(/^vault\.certificates .*: has not_after_time 2026-01-01T00:00:00.000Z, and its certificate/),
  ])
  await store.close()
})
