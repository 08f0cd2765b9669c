import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { quotaTotals, quotaUsages } from '../../../../domain/taxonomy/quotas/usage.ts'
import { capsuleCollection, capsulePayloads } from '../../../../domain/vault/capsules/capsules-store.ts'
import { cryptoKeyCollection } from '../../../../domain/vault/keys/crypto-keys-store.ts'
import { keyVersionCollection, materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId, addTenant, type Tenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { patch, remove } from '../../taxonomy/broken-store.ts'
import { base64, keyCalls } from '../keys/tenant-keys.ts'
import { afterTests } from '../../../undo.ts'

describe('the doctor', () => {
  let left: StorePlace
  let tenant: Tenant
  /** A key with an enabled primary version 2, and a version 1 that is going to be destroyed. */
  let key: string
  let active: string
  let revoked: string

  const version = (number: number): string => `${key}/versions/${number}`

  beforeAll(async () => {
    left = await testStorePlace(afterTests)
    await whileOpen(left, fill)
  })

  async function fill(api: Ninefold): Promise<void> {
    tenant = await addTenant(api, 'acme')
    const { at, create } = keyCalls({ api }, tenant.workspace)
    const { vault } = api
    key = await create('k', 'AES_256_GCM', { rotation_period: '86400s' })
    await vault.rotateCryptoKey({ ...at, id: key, body: {} })
    await vault.destroyCryptoKeyVersion({ ...at, cryptokey: key, id: '1', body: {} })
    const body = { payload: { data: base64('once') } }
    active = (await vault.createCapsule({ ...at, body })).resource_id
    revoked = (await vault.createCapsule({ ...at, body })).resource_id
    await vault.revokeCapsule({ ...at, id: revoked, body: {} })
  }

  const states = 'VAULT_CRYPTO_KEY_VERSION_STATE'
  const late = '2020-01-01T00:00:00.000Z'
  const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly unknown[]])[] = [
    [
      'a wrong count of versions',
      tx => patch(tx, cryptoKeyCollection, key, { version_count: 7 }),
      () => [`vault.cryptoKeys ${key}: has version_count 7, and 2 versions exist`],
    ],
    [
      'another primary version',
      tx => patch(tx, cryptoKeyCollection, key, { primary_version: '1' }),
      () => [`vault.cryptoKeys ${key}: has primary_version 1, but the primary versions are [2]`],
    ],
    [
      'a second primary version',
      tx => patch(tx, keyVersionCollection, version(1), { is_primary: true }),
      () => [`vault.cryptoKeys ${key}: has primary_version 2, but the primary versions are [1, 2]`],
    ],
    [
      'a key that is going to be deleted without its versions',
      tx => patch(tx, cryptoKeyCollection, key, { state: 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED' }),
      () => [
        `vault.cryptoKeys ${key}: is VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED with another delete_time`,
        `vault.cryptoKeys ${key}: is VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED with versions that are not going to be destroyed`,
        expect.stringMatching(/has the time none for cryptoKeys.rotate, and the agenda has 20/),
      ],
    ],
    [
      'a rotation that is due too early',
      tx => patch(tx, agenda, `cryptoKeys.rotate/${key}`, { due_time: late }),
      () => [expect.stringMatching(/for cryptoKeys.rotate, and the agenda has 2020/)],
    ],
    [
      'lost material',
      tx => remove(tx, materialCollection, version(2)),
      () => [`vault.cryptoKeyVersions ${version(2)}: is ${states}_ENABLED without key material`],
    ],
    [
      'the material of another key',
      tx => patch(tx, materialCollection, version(2), { crypto_key_id: absentId }),
      () => [`vault.cryptoKeyVersions ${version(2)}: has the key material of another crypto key or workspace`],
    ],
    [
      'a destroyed version with its material',
      tx => patch(tx, keyVersionCollection, version(2), { state: `${states}_DESTROYED` }),
      () => [
        `vault.cryptoKeyVersions ${version(2)}: is ${states}_DESTROYED with key material`,
        `vault.cryptoKeyVersions ${version(2)}: is ${states}_DESTROYED with another destroy_event_time`,
      ],
    ],
    [
      'a version that waits for nothing',
      tx => patch(tx, keyVersionCollection, version(2), { state: `${states}_PENDING_GENERATION` }),
      () => [
        `vault.cryptoKeyVersions ${version(2)}: is ${states}_PENDING_GENERATION with key material`,
        `vault.cryptoKeyVersions ${version(2)}: is ${states}_PENDING_GENERATION with the operation ""`,
      ],
    ],
    [
      'a destruction that is no due work',
      tx => remove(tx, agenda, `cryptoKeyVersions.destroy/${version(1)}`),
      () => [
        expect.stringMatching(/versions\/1: has the time .+ for cryptoKeyVersions.destroy, and the agenda has none/),
      ],
    ],
    [
      'a destruction that is due too early',
      tx => patch(tx, agenda, `cryptoKeyVersions.destroy/${version(1)}`, { due_time: late }),
      () => [expect.stringMatching(/for cryptoKeyVersions.destroy, and the agenda has 2020/)],
    ],
    [
      'versions without their key',
      tx => remove(tx, cryptoKeyCollection, key),
      () => [
        ...[1, 2].map(
          number =>
            `vault.cryptoKeyVersions ${version(number)}: belongs to a crypto key or version that does not exist; restore it from a backup`,
        ),
        `vault.agenda cryptoKeys.rotate/${key}: is due work of ${key}, which does not exist`,
        `taxonomy.quotas vault.cryptoKeys/${tenant.workspace}: counts 1, and the workspace has 0 rows; restore the store from a backup`,
      ],
    ],
    [
      'a wrong usage of a quota',
      async tx => {
        await patch(tx, quotaUsages, `vault.cryptoKeys/${tenant.workspace}`, { amount: 3 })
        await patch(tx, quotaTotals, `vault.cryptoKeys/${tenant.organisation}`, { amount: 3 })
      },
      () => [
        `taxonomy.quotas vault.cryptoKeys/${tenant.workspace}: counts 3, and the workspace has 1 rows; restore the store from a backup`,
      ],
    ],
    [
      'an active capsule without a payload',
      tx => remove(tx, capsulePayloads, active),
      () => [`vault.capsules ${active}: is VAULT_CAPSULE_STATE_ACTIVE without a payload`],
    ],
    [
      'a redeemed capsule with its payload',
      tx => patch(tx, capsuleCollection, active, { state: 'VAULT_CAPSULE_STATE_REDEEMED' }),
      () => [
        `vault.capsules ${active}: is VAULT_CAPSULE_STATE_REDEEMED with a payload`,
        expect.stringMatching(/has the time none for capsules.expire, and the agenda has 20/),
        `vault.capsules ${active}: is VAULT_CAPSULE_STATE_REDEEMED without due work that removes it`,
        `vault.capsules ${active}: is VAULT_CAPSULE_STATE_REDEEMED with another redeem_time`,
      ],
    ],
    [
      'a revoked capsule that is active again',
      tx => patch(tx, capsuleCollection, revoked, { state: 'VAULT_CAPSULE_STATE_ACTIVE' }),
      () => [
        `vault.capsules ${revoked}: is VAULT_CAPSULE_STATE_ACTIVE without a payload`,
        expect.stringMatching(/for capsules.expire, and the agenda has none/),
        `vault.capsules ${revoked}: is VAULT_CAPSULE_STATE_ACTIVE with due work that removes it`,
        `vault.capsules ${revoked}: is VAULT_CAPSULE_STATE_ACTIVE with another revoke_time`,
      ],
    ],
    [
      'too many attempts',
      tx => patch(tx, capsuleCollection, active, { failed_attempts: 6 }),
      () => [`vault.capsules ${active}: has more failed attempts than it may have`],
    ],
    [
      'a payload and due work of no capsule',
      tx => remove(tx, capsuleCollection, active),
      () => [
        `vault.capsulePayloads ${active}: belongs to no capsule; restore it from a backup`,
        `vault.agenda capsules.expire/${active}: is due work of ${active}, which does not exist`,
      ],
    ],
  ]

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place)).toEqual(expected())
  })

  it('finds nothing before', async () => {
    expect(await doctorFindings(left)).toEqual([])
  })
})
