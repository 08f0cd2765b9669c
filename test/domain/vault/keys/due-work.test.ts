import { setTimeout as nextPoll } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { vaultSettings } from '../../../../server/vault/settings.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { base64, tenantKeys } from './tenant-keys.ts'

const given = new GivenSettings().with(vaultSettings['vault.min_destroy_window'], 1000)
const shortWindows = () => tenantKeys({ config: { given } })

/** Repeats a read until it fulfils a condition; fails after a minute. */
async function until<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const value = await read()
    if (isReached(value)) return value
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(value)}`)
    await nextPoll(50)
  }
}

describe('a version whose window is over', () => {
  it('is destroyed with its material, and the system principal is recorded', async () => {
    const { admin, at, create, platform } = await shortWindows()
    const { vault } = admin.api
    const id = await create('k', 'AES_256_GCM', { destroy_scheduled_duration: '1s' })
    const { ciphertext } = await vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    await vault.destroyCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} })
    const version = await until(
      () => vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: '1' }),
      ({ state }) => state === 'VAULT_CRYPTO_KEY_VERSION_STATE_DESTROYED',
    )
    expect(version).toHaveProperty('destroy_event_time')
    expect(version).not.toHaveProperty('destroy_time')
    await expect(vault.decrypt({ ...at, id, body: { ciphertext } })).rejects.toMatchObject({
      reason: 'KEY_VERSION_DESTROYED',
    })
    await expect(
      vault.cancelDestroyCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} }),
    ).rejects.toMatchObject({ reason: 'KEY_VERSION_STATE', metadata: { state: version.state } })
    const filter = `resource_id = "${id}/versions/1"`
    const { operations } = await vault.listOperations({ filter })
    expect(operations.map(({ operation_type, trace_id }) => [operation_type, trace_id === ''])).toEqual(
      expect.arrayContaining([['VAULT_OPERATION_TYPE_DESTROY', true]]),
    )
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('removes its key, if the key is to be deleted, and frees the name', async () => {
    const { admin, at, create, platform } = await shortWindows()
    const { vault } = admin.api
    const id = await create('k', 'HMAC_SHA256', { destroy_scheduled_duration: '1s' })
    await vault.rotateCryptoKey({ ...at, id, body: {} })
    await vault.deleteCryptoKey({ ...at, id })
    const gone = await until(
      () =>
        vault.getCryptoKey({ ...at, id }).then(
          () => '',
          error => String(error.reason),
        ),
      reason => reason !== '',
    )
    expect(gone).toBe('CRYPTO_KEY_NOT_FOUND')
    expect(await create('k', 'HMAC_SHA256')).not.toBe(id)
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

it('a key is rotated at its time, and next one period later', async () => {
  const { admin, at, create, platform } = await tenantKeys()
  const { vault } = admin.api
  const time = new Date(Date.now() + 1000).toISOString()
  const id = await create('k', 'AES_256_GCM', { rotation_period: '86400s', next_rotation_time: time })
  const key = await until(
    () => vault.getCryptoKey({ ...at, id }),
    ({ primary_version }) => primary_version === '2',
  )
  expect(key.version_count).toBe(2)
  expect(Date.parse(key.next_rotation_time ?? '')).toBe(Date.parse(time) + 86_400_000)
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('the deletion of a key cancels the generation of its version', async () => {
  const { admin, at, ended, platform } = await tenantKeys()
  const { vault } = admin.api
  const body = {
    name: 'k',
    purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN',
    algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_4096_SHA256',
  } as const
  const creation = await vault.createCryptoKey({ ...at, body })
  const id = creation.resource_id
  await expect(vault.rotateCryptoKey({ ...at, id, body: {} })).rejects.toMatchObject({
    reason: 'KEY_VERSION_NOT_READY',
  })
  await expect(vault.sign({ ...at, id, body: { data: '' } })).rejects.toMatchObject({ reason: 'KEY_VERSION_NOT_READY' })
  await vault.deleteCryptoKey({ ...at, id })
  expect(await ended(creation)).toMatchObject({
    status: 'VAULT_OPERATION_STATUS_ERROR',
    errors: [{ reason: 'OPERATION_CANCELLED' }],
  })
  const gone = await until(
    () =>
      vault.getCryptoKey({ ...at, id }).then(
        () => '',
        error => String(error.reason),
      ),
    reason => reason !== '',
  )
  expect(gone).toBe('CRYPTO_KEY_NOT_FOUND')
  expect(await doctorFindings(platform.config)).toEqual([])
})

describe('a secret with a crypto key', () => {
  it('is readable only while the version that encrypted its payload is ENABLED', async () => {
    const { admin, at, create, platform } = await shortWindows()
    const { vault } = admin.api
    const key = await create('k', 'AES_256_GCM', { destroy_scheduled_duration: '1s' })
    const { resource_id: secret } = await vault.createSecret({ ...at, body: { name: 's', crypto_key_id: key } })
    await vault.addSecretVersion({ ...at, secret, body: { payload: { data: base64('hidden') } } })
    await vault.rotateCryptoKey({ ...at, id: key, body: {} })
    await vault.addSecretVersion({ ...at, secret, body: { payload: { data: base64('newer') } } })
    const read = async (id: string) => (await vault.getSecretVersion({ ...at, secret, id })).payload?.data
    expect([await read('1'), await read('2')]).toEqual([base64('hidden'), base64('newer')])
    await vault.disableCryptoKeyVersion({ ...at, cryptokey: key, id: '1', body: {} })
    await expect(read('1')).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED' })
    expect(await read('2')).toBe(base64('newer'))
    const inUse = { reason: 'CRYPTO_KEY_IN_USE' }
    await expect(vault.deleteCryptoKey({ ...at, id: key })).rejects.toMatchObject(inUse)
    await expect(vault.destroyCryptoKeyVersion({ ...at, cryptokey: key, id: '1', body: {} })).rejects.toMatchObject(
      inUse,
    )
    await vault.destroySecretVersion({ ...at, secret, id: '1', body: {} })
    await vault.destroyCryptoKeyVersion({ ...at, cryptokey: key, id: '1', body: {} })
    await vault.deleteSecret({ ...at, id: secret })
    await vault.deleteCryptoKey({ ...at, id: key })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('names a key of its workspace that encrypts', async () => {
    const { admin, at, create } = await tenantKeys()
    const { vault } = admin.api
    const mac = await create('m', 'HMAC_SHA256')
    const add = (crypto_key_id: string) => vault.createSecret({ ...at, body: { name: 's', crypto_key_id } })
    await expect(add(mac)).rejects.toMatchObject({ reason: 'KEY_PURPOSE_MISMATCH' })
    await expect(add('01900000-0000-7000-8000-0000000000ff')).rejects.toMatchObject({
      reason: 'CRYPTO_KEY_NOT_FOUND',
      response: { status: 400 },
    })
  })
})
