import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openssl } from './one-store/openssl.ts'
import { base64, tenantKeys } from './tenant-keys.ts'

it('scenario 3: a ciphertext opens with its additional data only, also after a rotation', async () => {
  const { admin, at, create, platform } = await tenantKeys()
  const { vault } = admin.api
  const id = await create('k', 'AES_256_GCM')
  const additional_authenticated_data = base64('tenant-1')
  const body = { plaintext: base64('hello'), additional_authenticated_data }
  const { ciphertext } = await vault.encrypt({ ...at, id, body })
  expect(ciphertext).toMatch(/^vault:v1:/)
  expect(Buffer.from(ciphertext.slice(9), 'base64')).toHaveLength(50)
  await expect(vault.decrypt({ ...at, id, body: { ciphertext } })).rejects.toMatchObject({
    reason: 'DECRYPTION_FAILED',
    code: 9_003_007,
    response: { status: 400, body: { code: 3 } },
  })
  const open = (text: string) => vault.decrypt({ ...at, id, body: { ciphertext: text, additional_authenticated_data } })
  expect(await open(ciphertext)).toEqual({
    plaintext: base64('hello'),
    plaintext_crc32c: 2_591_144_780,
    key_version: '1',
    used_primary: true,
  })
  const rotation = await vault.rotateCryptoKey({ ...at, id, body: {} })
  expect(rotation).toMatchObject({
    status: 'VAULT_OPERATION_STATUS_DONE',
    operation_type: 'VAULT_OPERATION_TYPE_ROTATE',
    resource_type: 'vault.cryptoKeyVersions',
    resource_id: `${id}/versions/2`,
  })
  expect(await open(ciphertext)).toMatchObject({ key_version: '1', used_primary: false })
  const again = await vault.reEncrypt({ ...at, id, body: { ciphertext, additional_authenticated_data } })
  expect(again).toMatchObject({ source_key_version: '1', key_version: '2' })
  expect(again.ciphertext).toMatch(/^vault:v2:/)
  expect(await open(again.ciphertext)).toMatchObject({
    plaintext: base64('hello'),
    key_version: '2',
    used_primary: true,
  })
  expect(await doctorFindings(platform.config)).toEqual([])
})

const data = 'a signed document'
const digest = { sha256: createHash('sha256').update(data).digest('base64') }

it.each([
  ['EC_P256_SHA256', []],
  ['RSA_PSS_3072_SHA256', ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32']],
] as const)('scenario 4: openssl verifies the signatures of %s of data and of a digest', async (algorithm, options) => {
  const { admin, at, create } = await tenantKeys()
  const { vault } = admin.api
  const id = await create('k', algorithm)
  const { public_key_pem } = await vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: '1' })
  for (const input of [{ data: base64(data) }, { digest }]) {
    const { signature } = await vault.sign({ ...at, id, body: input })
    if (openssl) expect(opensslOutput(public_key_pem, signature, options)).toBe('Verified OK\n')
    expect(await vault.verify({ ...at, id, body: { ...input, signature } })).toMatchObject({
      valid: true,
      key_version: '1',
    })
    const bytes = Buffer.from(signature, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const changed = { ...input, signature: bytes.toString('base64') }
    expect(await vault.verify({ ...at, id, body: changed })).toMatchObject({ valid: false, key_version: '1' })
  }
  const p1363 = { data: base64(data), signature_encoding: 'VAULT_SIGNATURE_ENCODING_P1363' } as const
  const signed = vault.sign({ ...at, id, body: p1363 })
  if (algorithm === 'EC_P256_SHA256') expect(Buffer.from((await signed).signature, 'base64')).toHaveLength(64)
  else await expect(signed).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
})

function opensslOutput(publicKey: string, signature: string, options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-openssl-'))
  try {
    const files = { 'pub.pem': publicKey, data, sig: Buffer.from(signature, 'base64') }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const args = ['dgst', '-sha256', '-verify', 'pub.pem', ...options, '-signature', 'sig', 'data']
    return spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('scenario 5: the destruction of a version can be cancelled, and the primary version cannot be destroyed', async () => {
  const { admin, at, create, platform } = await tenantKeys()
  const { vault } = admin.api
  const id = await create('k', 'AES_256_GCM', { destroy_scheduled_duration: '86400s' })
  const { ciphertext } = await vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
  await vault.rotateCryptoKey({ ...at, id, body: {} })
  const version = (number: string) => ({ ...at, cryptokey: id, id: number })
  const open = () => vault.decrypt({ ...at, id, body: { ciphertext } })
  await expect(vault.destroyCryptoKeyVersion({ ...version('2'), body: {} })).rejects.toMatchObject({
    reason: 'PRIMARY_VERSION_IN_USE',
  })
  const now = Date.now()
  await vault.destroyCryptoKeyVersion({ ...version('1'), body: {} })
  const scheduled = await vault.getCryptoKeyVersion(version('1'))
  expect(scheduled.state).toBe('VAULT_CRYPTO_KEY_VERSION_STATE_DESTROY_SCHEDULED')
  const windowMs = Date.parse(scheduled.destroy_time ?? '') - now
  expect(windowMs).toBeGreaterThanOrEqual(86_400_000 - 1000)
  expect(windowMs).toBeLessThan(86_400_000 + 60_000)
  await expect(open()).rejects.toMatchObject({ reason: 'KEY_VERSION_DESTROYED' })
  await vault.cancelDestroyCryptoKeyVersion({ ...version('1'), body: {} })
  const kept = await vault.getCryptoKeyVersion(version('1'))
  expect(kept.state).toBe('VAULT_CRYPTO_KEY_VERSION_STATE_DISABLED')
  expect(kept).not.toHaveProperty('destroy_time')
  await expect(open()).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED' })
  await vault.disableCryptoKeyVersion({ ...version('1'), body: { disabled: false } })
  expect(await open()).toMatchObject({ plaintext: base64('text') })
  expect(await doctorFindings(platform.config)).toEqual([])
})
