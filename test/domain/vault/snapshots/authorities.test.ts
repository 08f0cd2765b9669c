import { expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { listCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { addTenant } from '../../../areas/members.ts'
import { certificateCalls } from '../certificates/tenant-certificates.ts'
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

/** The calls of certificates of the administrator of an open platform. */
const callsOf = (api: Ninefold, workspace: string) => {
  const at = { workspace, engine: 'native' }
  const { issue, ...calls } = certificateCalls({ admin: { api }, at, workspace })
  const body = { reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE' } as const
  return {
    ...calls,
    at,
    async issue(certificate_authority: string, name: string) {
      const config = { subject_alt_names: { dns_names: [`${name}.acme.test`] } }
      const id = await issue(certificate_authority, { name, config, private_key_secret_name: `key-of-${name}` })
      return api.vault.getCertificate({ ...at, certificate_authority, id })
    },
    revoke: (id: string) => api.vault.revokeCertificateAuthority({ ...at, id, body }),
    revokeLeaf: (certificate_authority: string, id: string) =>
      api.vault.revokeCertificate({ ...at, certificate_authority, id, body }),
    list: (id: string) => api.vault.getCertificateRevocationList({ ...at, id }),
    async pinnedKey(name: string) {
      const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN'
      const { resource_id } = await api.vault.createCryptoKey({ ...at, body: { name, purpose } })
      return { crypto_key_id: resource_id }
    },
  }
}

it('the doctor finds nothing after a restore, whatever was revoked since the snapshot', async () => {
  const place = await testStorePlace()
  const { counts, file, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { below, issue, list, pinnedKey, revoke, revokeLeaf, root } = callsOf(api, workspace)
    const top = await root('top', { max_path_length: 3 })
    const kept = await below(top, 'kept')
    const keys = [await pinnedKey('key-1'), await pinnedKey('key-2')]
    const file = await takenSnapshot(api, place)
    // An authority that the snapshot has, and authorities that the snapshot lacks: with an own key, with a key that the
    // snapshot has, and with such a key below an authority that the snapshot lacks.
    const later = await below(top, 'later')
    const pinned = await below(top, 'pinned', keys[0])
    const between = await below(top, 'between', { max_path_length: 1 })
    const deep = await below(between, 'deep', { ...keys[1], lifetime: '15768000s' })
    for (const authority of [kept, later, pinned, deep])
      await revokeLeaf(authority, (await issue(authority, `leaf-of-${authority}`)).id)
    for (const authority of [kept, pinned, deep, top]) await list(authority)
    for (const authority of [kept, later, pinned, deep]) await revoke(authority)
    return { counts: { [top]: 3, [kept]: 1, [pinned]: 1 }, file, workspace }
  })
  await restoreInto(place, file, { isReplacing: true })
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async api => {
    const { list } = callsOf(api, workspace)
    for (const [id, revoked_count] of Object.entries(counts)) expect(await list(id)).toMatchObject({ revoked_count })
  })
  expect(await doctorFindings(place)).toEqual([])
})

it('a snapshot is restored although the replaced vault has ended other resources of the same names', async () => {
  const place = await testStorePlace()
  const make = async (api: Ninefold, workspace: string, authority: string) => {
    const { at, issue, root } = callsOf(api, workspace)
    const capsule = await api.vault.createCapsule({ ...at, body: { name: 'same', payload: { data: 'YQ==' } } })
    return { authority: await root('same'), capsule: capsule.resource_id, leaf: await issue(authority, 'same') }
  }
  const { authority, first, second, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const authority = await callsOf(api, workspace).root('top')
    const first = await takenSnapshot(api, place)
    await make(api, workspace, authority)
    return { authority, first, second: await takenSnapshot(api, place), workspace }
  })
  await restoreInto(place, first, { isReplacing: true })
  const serial = await whileOpen(place, async api => {
    const made = await make(api, workspace, authority)
    const { at, list, revoke, revokeLeaf } = callsOf(api, workspace)
    await api.vault.revokeCapsule({ ...at, id: made.capsule, body: {} })
    await revokeLeaf(authority, made.leaf.id)
    await revoke(made.authority)
    await list(authority)
    return made.leaf.serial_number
  })
  await restoreInto(place, second, { isReplacing: true })
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async api => {
    const { at, list } = callsOf(api, workspace)
    expect((await api.vault.listCertificateAuthorities(at)).certificate_authorities).toHaveLength(2)
    const { der_crl, revoked_count } = await list(authority)
    expect([revoked_count, Buffer.from(der_crl, 'base64').includes(Buffer.from(serial, 'hex'))]).toEqual([1, true])
  })
  expect(await doctorFindings(place)).toEqual([])
})
