import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { payloadCollection, secretVersionCollection } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { safeKeys, workspaceKeys } from '../../../../domain/vault/seal/seal-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import type { Transaction } from '../../../../domain/ports/store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { patch, remove } from '../../taxonomy/broken-store.ts'
import { secretCalls } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

describe('the doctor', () => {
  let left: StorePlace
  let secret: string
  let row: string
  let workspace: string

  beforeAll(async () => {
    left = await testStorePlace(afterTests)
    await whileOpen(left, fill)
    row = `${secret}/versions/1`
  })

  async function fill(api: Ninefold): Promise<void> {
    workspace = (await addTenant(api, 'acme')).workspace
    const { add, at, create } = secretCalls({ api }, workspace)
    secret = await create('database-password', { version_destroy_delay: '86400s', ttl: '86400s' })
    for (const text of ['one', 'two']) await add(secret, text)
    await api.vault.destroySecretVersion({ ...at, secret, id: '2', body: {} })
  }

  const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
    [
      'a wrong count of enabled versions',
      tx => patch(tx, secretCollection, secret, { enabled_version_count: 7 }),
      () => [`vault.secrets ${secret}: has enabled_version_count 7, and 1 versions are enabled`],
    ],
    [
      'a wrong latest version',
      tx => patch(tx, secretCollection, secret, { latest_version: '9' }),
      () => [`vault.secrets ${secret}: has latest_version "9", and 2 versions exist`],
    ],
    [
      'a lost payload',
      tx => remove(tx, payloadCollection, row),
      () => [
        `vault.secretVersions ${row}: is VAULT_SECRET_VERSION_STATE_ENABLED and has no payload; restore it from a backup`,
      ],
    ],
    [
      'a payload of a destroyed version',
      async tx => {
        await patch(tx, secretVersionCollection, row, { state: 'VAULT_SECRET_VERSION_STATE_DESTROYED' })
        await patch(tx, secretCollection, secret, { enabled_version_count: 0 })
      },
      () => [`vault.secretVersions ${row}: is destroyed and has a payload; the payload must be deleted`],
    ],
    [
      'a payload of another secret',
      tx => patch(tx, payloadCollection, row, { secret_id: 'other' }),
      () => [`vault.secretVersions ${row}: has a payload of another secret or workspace`],
    ],
    [
      'a lost key of a workspace',
      tx => remove(tx, workspaceKeys, workspace),
      () =>
        ['1', '2'].map(
          id =>
            `vault.secretVersions ${secret}/versions/${id}: has a payload, and workspace ${workspace} has no key; restore it from a backup`,
        ),
    ],
    [
      'a lost safe key',
      tx => remove(tx, safeKeys, '1'),
      () => [
        'vault.safes safe: has no safe key; restore them from a backup',
        `vault.workspaceKeys ${workspace}: is encrypted under the safe key 1, which does not exist; restore it from a backup`,
      ],
    ],
    [
      'a lost entry of the agenda',
      tx => remove(tx, agenda, `secretVersions.destroy/${secret}/versions/2`),
      () => [
        expect.stringMatching(/versions\/2: has the time .+ for secretVersions.destroy, and the agenda has none$/),
      ],
    ],
    [
      'an entry of the agenda that is too early',
      tx => patch(tx, agenda, `secrets.expire/${secret}`, { due_time: '2020-01-01T00:00:00.000Z' }),
      () => [expect.stringMatching(/for secrets.expire, and the agenda has 2020-01-01T00:00:00.000Z$/)],
    ],
  ]

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    expect(await doctorFindings(place)).toEqual(expected())
  })
})
