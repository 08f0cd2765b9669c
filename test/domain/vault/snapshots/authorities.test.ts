import { expect, it } from 'vitest'
import { listCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { addTenant } from '../../../areas/members.ts'
import { restoreInto, takenSnapshot } from './taken.ts'

it('restored authorities sign their lists anew, and a certificate that was revoked since stays revoked', async () => {
  const place = await testStorePlace()
  const { authority, certificate, file, other, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const at = { workspace, engine: 'native' }
    const root = {
      name: 'root',
      type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
      subject: { common_name: 'Acme root' },
      lifetime: '315360000s',
    } as const
    const { resource_id: authority } = await api.vault.createCertificateAuthority({ ...at, body: root })
    const issue = async (name: string) => {
      const config = { subject_alt_names: { dns_names: [`${name}.acme.test`] } }
      const body = { name, config, private_key_secret_name: `key-of-${name}` }
      return (await api.vault.createCertificate({ ...at, certificate_authority: authority, body })).resource_id
    }
    const [certificate, other] = [await issue('one'), await issue('two')]
    const file = await takenSnapshot(api, place)
    const path = { ...at, certificate_authority: authority, id: certificate }
    await api.vault.revokeCertificate({ ...path, body: { reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE' } })
    return { authority, certificate, file, other, workspace }
  })
  const lines = await restoreInto(place, file, { isReplacing: true })
  expect(lines).toContain('rows that stay as the replaced vault has ended them: 1')
  const restored = await openStore(place, areas)
  expect((await restored.get(listCollection, authority))?.value.is_dirty).toBe(true)
  expect(await restored.count(revocationCollection)).toBe(1)
  await restored.close()
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async api => {
    const path = { workspace, engine: 'native', certificate_authority: authority }
    const states = [certificate, other].map(async id => (await api.vault.getCertificate({ ...path, id })).state)
    expect(await Promise.all(states)).toEqual(['VAULT_CERTIFICATE_STATE_REVOKED', 'VAULT_CERTIFICATE_STATE_ACTIVE'])
    const list = { workspace, engine: 'native', id: authority }
    expect(await api.vault.getCertificateRevocationList(list)).toMatchObject({ revoked_count: 1 })
  })
})
