import { constants, publicEncrypt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { base64, tenantKeys, type Short } from './tenant-keys.ts'

describe('a new key', () => {
  it.each([
    ['ENCRYPT_DECRYPT', 'AES_256_GCM'],
    ['ASYMMETRIC_SIGN', 'EC_P256_SHA256'],
    ['ASYMMETRIC_DECRYPT', 'RSA_OAEP_2048_SHA256'],
    ['MAC', 'HMAC_SHA256'],
  ] as const)('for %s has the algorithm %s by default', async (purpose, algorithm) => {
    const { admin, at, ended } = await tenantKeys()
    const body = { name: 'k', purpose: `VAULT_CRYPTO_KEY_PURPOSE_${purpose}` } as const
    const { resource_id: id, status } = await admin.api.vault.createCryptoKey({ ...at, body })
    const isAsync = algorithm.startsWith('RSA')
    expect(status).toBe(`VAULT_OPERATION_STATUS_${isAsync ? 'PENDING' : 'DONE'}`)
    const key = await admin.api.vault.getCryptoKey({ ...at, id })
    expect(key).toMatchObject({
      algorithm: `VAULT_CRYPTO_KEY_ALGORITHM_${algorithm}`,
      primary_version: '1',
      version_count: 1,
      state: 'VAULT_CRYPTO_KEY_STATE_ENABLED',
      protection_level: 'VAULT_PROTECTION_LEVEL_SOFTWARE',
      destroy_scheduled_duration: '2592000s',
    })
    const { operations } = await admin.api.vault.listOperations({ filter: `resource_id = "${id}"` })
    for (const operation of operations)
      expect(await ended(operation)).toMatchObject({ status: 'VAULT_OPERATION_STATUS_DONE' })
    const version = await admin.api.vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: '1' })
    expect(version).toMatchObject({ is_primary: true, state: 'VAULT_CRYPTO_KEY_VERSION_STATE_ENABLED' })
    expect(version.public_key_pem !== '').toBe(purpose.startsWith('ASYMMETRIC'))
    expect(JSON.stringify(version)).not.toMatch(/PRIVATE|row_id|operation_id/)
  })

  it.each([
    [
      'an algorithm of another purpose',
      { algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256' },
      'ALGORITHM_NOT_ALLOWED',
      'algorithm',
    ],
    [
      'a period on a pair',
      { purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN', rotation_period: '86400s' },
      'ROTATION_NOT_SUPPORTED',
      'rotation_period',
    ],
    ['a short period', { rotation_period: '86399s' }, 'FIELD_INVALID', 'rotation_period'],
    [
      'a rotation in the past',
      { rotation_period: '86400s', next_rotation_time: '2020-01-01T00:00:00Z' },
      'FIELD_INVALID',
      'next_rotation_time',
    ],
    [
      'a rotation without a period',
      { next_rotation_time: '2099-01-01T00:00:00Z' },
      'FIELD_INVALID',
      'next_rotation_time',
    ],
    ['a short window', { destroy_scheduled_duration: '3600s' }, 'FIELD_INVALID', 'destroy_scheduled_duration'],
    ['a long window', { destroy_scheduled_duration: '10368001s' }, 'FIELD_INVALID', 'destroy_scheduled_duration'],
  ] as const)('is refused with %s', async (_, members, reason, field) => {
    const { admin, at } = await tenantKeys()
    const body = { name: 'k', purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT', ...members } as const
    await expect(admin.api.vault.createCryptoKey({ ...at, body })).rejects.toMatchObject({
      reason,
      details: { badRequest: [{ field }] },
    })
  })
})

describe('an update of a key', () => {
  it('keeps the primary version, and takes the first algorithm, if the body leaves them out', async () => {
    const { admin, at, create, platform } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'CHACHA20_POLY1305')
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    await vault.updateCryptoKey({ ...at, id, body: { name: 'k', purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT' } })
    expect(await vault.getCryptoKey({ ...at, id })).toMatchObject({
      primary_version: '2',
      algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_AES_256_GCM',
    })
    await vault.updateCryptoKey({ ...at, id, update_mask: 'primary_version', body: { primary_version: '1' } })
    expect((await vault.getCryptoKey({ ...at, id })).primary_version).toBe('1')
    expect((await vault.encrypt({ ...at, id, body: { plaintext: '' } })).ciphertext).toMatch(/^vault:v1:/)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('refuses a primary version that is not ENABLED or absent', async () => {
    const { admin, at, create } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'AES_256_GCM')
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    const choose = (primary_version: string) =>
      vault.updateCryptoKey({ ...at, id, update_mask: 'primary_version', body: { primary_version } })
    await vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} })
    await expect(choose('1')).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED' })
    await vault.destroyCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} })
    await expect(choose('1')).rejects.toMatchObject({ reason: 'KEY_VERSION_DESTROYED' })
    await expect(choose('3')).rejects.toMatchObject({ reason: 'KEY_VERSION_NOT_FOUND', response: { status: 400 } })
  })

  it('sets and removes a rotation', async () => {
    const { admin, at, create, platform } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'HMAC_SHA256')
    await vault.updateCryptoKey({ ...at, id, update_mask: 'rotation_period', body: { rotation_period: '86400s' } })
    const { next_rotation_time = '' } = await vault.getCryptoKey({ ...at, id })
    expect(Math.abs(Date.parse(next_rotation_time) - Date.now() - 86_400_000)).toBeLessThan(60_000)
    await vault.updateCryptoKey({ ...at, id, update_mask: 'rotation_period,next_rotation_time', body: {} })
    expect(await vault.getCryptoKey({ ...at, id })).not.toHaveProperty('rotation_period')
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('a deletion', () => {
  it('is a schedule that a cancelled destruction ends, and allows no other verb until then', async () => {
    const { admin, at, create, platform } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'AES_256_GCM')
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    const { ciphertext } = await vault.encrypt({ ...at, id, body: { plaintext: '' } })
    await vault.deleteCryptoKey({ ...at, id })
    const key = await vault.getCryptoKey({ ...at, id })
    expect(key.state).toBe('VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED')
    expect(key.delete_time).toBe((await vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: '2' })).destroy_time)
    const refused = { reason: 'CRYPTO_KEY_DELETE_SCHEDULED' }
    const body = {}
    const calls = await Promise.allSettled([
      vault.deleteCryptoKey({ ...at, id }),
      vault.updateCryptoKey({ ...at, id, update_mask: 'description', body: { description: 'x' } }),
      vault.rotateCryptoKey({ ...at, id, body }),
      vault.encrypt({ ...at, id, body: { plaintext: '' } }),
      vault.decrypt({ ...at, id, body: { ciphertext } }),
      vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body }),
      vault.destroyCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body }),
    ])
    for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: refused })
    await vault.cancelDestroyCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body })
    expect(await vault.getCryptoKey({ ...at, id })).toMatchObject({ state: 'VAULT_CRYPTO_KEY_STATE_ENABLED' })
    await expect(vault.encrypt({ ...at, id, body: { plaintext: '' } })).rejects.toMatchObject({
      reason: 'KEY_VERSION_DESTROYED',
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('a key of another purpose', () => {
  const calls: Readonly<Record<string, (of: Awaited<ReturnType<typeof tenantKeys>>, id: string) => Promise<unknown>>> =
    {
      encrypt: ({ admin, at }, id) => admin.api.vault.encrypt({ ...at, id, body: { plaintext: '' } }),
      decrypt: ({ admin, at }, id) => admin.api.vault.decrypt({ ...at, id, body: { ciphertext: 'vault:v1:' } }),
      reEncrypt: ({ admin, at }, id) => admin.api.vault.reEncrypt({ ...at, id, body: { ciphertext: 'vault:v1:' } }),
      generateDataEncryptionKey: ({ admin, at }, id) =>
        admin.api.vault.generateDataEncryptionKey({ ...at, id, body: {} }),
      sign: ({ admin, at }, id) => admin.api.vault.sign({ ...at, id, body: { data: '' } }),
      hmac: ({ admin, at }, id) => admin.api.vault.hmac({ ...at, id, body: { data: '' } }),
      'verify a signature': ({ admin, at }, id) =>
        admin.api.vault.verify({ ...at, id, body: { data: '', signature: '' } }),
      'verify a code': ({ admin, at }, id) => admin.api.vault.verify({ ...at, id, body: { data: '', mac: '' } }),
    }
  const allowed: Readonly<Record<string, readonly string[]>> = {
    AES_256_GCM: ['encrypt', 'decrypt', 'reEncrypt', 'generateDataEncryptionKey'],
    ED25519: ['sign', 'verify a signature'],
    HMAC_SHA256: ['hmac', 'verify a code'],
  }

  it.each(Object.keys(allowed))('is refused by the other calls: %s', async algorithm => {
    const tenant = await tenantKeys()
    const id = await tenant.create('k', algorithm as Short)
    for (const [name, call] of Object.entries(calls)) {
      const outcome = await call(tenant, id).then(
        () => 'done',
        error => error.reason,
      )
      if (allowed[algorithm]?.includes(name)) expect(outcome, name).not.toBe('KEY_PURPOSE_MISMATCH')
      else expect(outcome, name).toBe('KEY_PURPOSE_MISMATCH')
    }
  })
})

describe('the other verbs', () => {
  it('decrypt a data encryption key that was made without its plaintext', async () => {
    const { admin, at, create } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'CHACHA20_POLY1305')
    const hidden = await vault.generateDataEncryptionKey({
      ...at,
      id,
      body: { include_plaintext: false, key_size_bytes: 64 },
    })
    expect(hidden).not.toHaveProperty('plaintext')
    const opened = await vault.decrypt({ ...at, id, body: { ciphertext: hidden.ciphertext } })
    expect(Buffer.from(opened.plaintext, 'base64')).toHaveLength(64)
    const shown = await vault.generateDataEncryptionKey({ ...at, id, body: {} })
    const same = await vault.decrypt({ ...at, id, body: { ciphertext: shown.ciphertext } })
    expect(same.plaintext).toBe(shown.plaintext)
    expect(Buffer.from(shown.plaintext ?? '', 'base64')).toHaveLength(32)
  })

  it('verify with older versions after a rotation, and never with disabled versions', async () => {
    const { admin, at, create } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'HMAC_SHA384')
    const { mac } = await vault.hmac({ ...at, id, body: { data: base64('text') } })
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    const check = () => vault.verify({ ...at, id, body: { data: base64('text'), mac } })
    expect(await check()).toMatchObject({ valid: true, key_version: '1' })
    await vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} })
    expect(await check()).toMatchObject({ valid: false, key_version: '2' })
    await vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '2', body: {} })
    await expect(check()).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED' })
  })

  it('decrypt RSA-OAEP with a named version', async () => {
    const { admin, at, create } = await tenantKeys()
    const { vault } = admin.api
    const id = await create('k', 'RSA_OAEP_2048_SHA256')
    const { public_key_pem } = await vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: '1' })
    const options = { key: public_key_pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const ciphertext = publicEncrypt(options, Buffer.from('text')).toString('base64')
    const open = (body: { key_version?: string; ciphertext: string }) => vault.decrypt({ ...at, id, body })
    expect(await open({ ciphertext, key_version: '1' })).toMatchObject({
      plaintext: base64('text'),
      used_primary: true,
    })
    await expect(open({ ciphertext })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(open({ ciphertext: ciphertext.slice(4), key_version: '1' })).rejects.toMatchObject({
      reason: 'DECRYPTION_FAILED',
    })
  })

  it('generate random bytes of the wanted length', async () => {
    const { admin, at } = await tenantKeys()
    for (const length_bytes of [1, 32, 1024]) {
      const { data } = await admin.api.vault.generateRandomBytes({ ...at, body: { length_bytes } })
      expect(Buffer.from(data, 'base64')).toHaveLength(length_bytes)
    }
  })

  it('are recorded before they are answered, without their data', async () => {
    const { admin, at, create, platform } = await tenantKeys()
    const id = await create('k', 'AES_256_GCM')
    const { ciphertext } = await admin.api.vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
    await admin.api.vault.decrypt({ ...at, id, body: { ciphertext } })
    const recorded = await recordedActivities(platform.config)
    expect(recorded.filter(({ action }) => action === 'decrypt')).toMatchObject([
      { category: 'DATA_READ', resource_type: 'vault.cryptoKeyVersions', resource_id: `${id}/versions/1` },
    ])
    expect(JSON.stringify(recorded)).not.toContain(base64('text'))
  })
})
