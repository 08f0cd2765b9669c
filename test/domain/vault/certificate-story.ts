import { expect } from 'vitest'
import type { VaultClient } from '../../../output/vault/client.ts'
import type { CertificateAuthorityInput } from '../../../output/vault/types.ts'

/** The members of a path to a workspace. */
interface At {
  readonly workspace: string
  readonly engine: string
}

/**
 * Issues and revokes certificates and a subordinate authority, and checks after each revocation that the next list names
 * it: once a list that the worker signs, and once a list that the read signs. The numbers of the lists must grow.
 */
export async function tellCertificates(vault: VaultClient, at: At): Promise<void> {
  const authority = async (
    name: string,
    more: Pick<CertificateAuthorityInput, 'type' | 'lifetime' | 'parent_certificate_authority_id'>,
  ): Promise<string> => {
    const body = { name, subject: { common_name: name }, ...more }
    return (await vault.createCertificateAuthority({ ...at, body })).resource_id
  }
  const type = 'VAULT_CERTIFICATE_AUTHORITY_TYPE'
  const root = await authority('issuing', { type: `${type}_ROOT`, lifetime: '86400000s' })
  const path = { ...at, certificate_authority: root }
  const template = { name: 'web', allowed_dns_names: ['*.acme.example'] }
  const { resource_id: certificate_template_id } = await vault.createCertificateTemplate({ ...path, body: template })
  const config = { subject: { common_name: 'www.acme.example' } }
  const issue = async (name: string): Promise<string> => {
    const body = { name, config, certificate_template_id, private_key_secret_name: `key-of-${name}` }
    return (await vault.createCertificate({ ...path, body })).resource_id
  }
  const revoke = (id: string) =>
    vault.revokeCertificate({ ...path, id, body: { reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE' } })
  const numberOf = async () => BigInt((await vault.getCertificateAuthority({ ...at, id: root })).crl_number || '0')
  const ids = [await issue('first'), await issue('second'), await issue('third')]
  const [first = '', second = ''] = ids
  await expect.poll(numberOf, { timeout: 60_000 }).toBeGreaterThan(0n)
  const before = await numberOf()
  await revoke(first)
  // The worker signs the list that nobody reads.
  await expect.poll(numberOf, { timeout: 60_000 }).toBeGreaterThan(before)
  const renewed = await numberOf()
  await revoke(second)
  const read = await vault.getCertificateRevocationList({ ...at, id: root })
  expect(read.revoked_count).toBe(2)
  expect(BigInt(read.crl_number)).toBeGreaterThan(renewed)
  const sub = await authority('below', {
    type: `${type}_SUBORDINATE`,
    lifetime: '8640000s',
    parent_certificate_authority_id: root,
  })
  await vault.revokeCertificateAuthority({ ...at, id: sub, body: { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } })
  expect(await vault.getCertificateRevocationList({ ...at, id: root })).toMatchObject({ revoked_count: 3 })
  const { certificates } = await vault.listCertificates({ ...path, order_by: 'name' })
  expect(certificates.map(({ id, state }) => [id, state.replace('VAULT_CERTIFICATE_STATE_', '')])).toEqual([
    [ids[0], 'REVOKED'],
    [ids[1], 'REVOKED'],
    [ids[2], 'ACTIVE'],
  ])
  expect(new Set(certificates.map(({ serial_number }) => serial_number)).size).toBe(3)
}
