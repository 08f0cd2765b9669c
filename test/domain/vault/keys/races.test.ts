import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import type { CryptoKeyInput, VaultOperation } from '../../../../output/vault/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import type { Member } from '../../../areas/members.ts'
import { race, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { base64, keyCalls, tenantKeys, type TenantKeys } from './tenant-keys.ts'
import { afterTests } from '../../../undo.ts'

/**
 * The number of rounds of each race; a change of a key waits until all servers know it. For two hundred rounds:
 * `NINEFOLD_RACE_LAPS=200 npx vitest run test/domain/vault/keys/races.test.ts`
 */
const rounds = Number(process.env['NINEFOLD_RACE_LAPS'] ?? (postgresUrl() === undefined ? 20 : 4))

interface Calls extends Pick<TenantKeys, 'at' | 'create'> {
  readonly vault: Member['api']['vault']
}

let tenant: TenantKeys
/** A second server of the same PostgreSQL; on SQLite, the first server. */
let second: TestPlatform
let one: Calls
/** The calls on the second server. */
let other: Calls

beforeAll(async () => {
  tenant = await tenantKeys({ later: afterTests })
  const { admin, platform } = tenant
  // Every round leaves its keys.
  await admin.api.taxonomy.updateQuota({ id: 'vault.cryptoKeys', body: { default_limit: rounds * 20 } })
  const { dataDir, storeUrl } = platform.config
  second = storeUrl === undefined ? platform : await testPlatform({ config: { dataDir, storeUrl }, later: afterTests })
})

/**
 * Returns the calls of the administrator on a server. The calls are repeated while an overloaded server has not yet
 * applied the changes of the other server.
 */
async function callsOn(server: TestPlatform): Promise<Calls> {
  const { token } = await server.admin()
  const api = new Ninefold(server.transport(token, { retries: 10 }))
  return { ...keyCalls({ api }, tenant.workspace), vault: api.vault }
}

// A token expires after 15 minutes, and two hundred rounds of all races take longer.
beforeEach(async () => {
  one = await callsOn(tenant.platform)
  other = await callsOn(second)
})

const verbs = ({ at, vault }: Calls, id: string, number = '1') => {
  const version = { ...at, cryptokey: id, id: number }
  return {
    rotate: (): Promise<VaultOperation> => vault.rotateCryptoKey({ ...at, id, body: {} }),
    remove: () => vault.deleteCryptoKey({ ...at, id }),
    // Only a call with a key is repeated.
    encrypt: () =>
      vault.encrypt({ ...at, id, body: { plaintext: base64('text') } }, { idempotencyKey: crypto.randomUUID() }),
    destroy: () => vault.destroyCryptoKeyVersion({ ...version, body: {} }),
    cancel: () => vault.cancelDestroyCryptoKeyVersion({ ...version, body: {} }),
    disable: () => vault.disableCryptoKeyVersion({ ...version, body: {} }),
    enable: () => vault.disableCryptoKeyVersion({ ...version, body: { disabled: false } }),
    choose: () =>
      vault.updateCryptoKey({ ...at, id, update_mask: 'primary_version', body: { primary_version: number } }),
  }
}

/** Makes a key of two versions for a round; version 2 is primary. */
async function rotated(name: string, more: Partial<CryptoKeyInput> = {}): Promise<string> {
  const id = await one.create(name, 'AES_256_GCM', more)
  await verbs(one, id).rotate()
  return id
}

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two rotations',
    async prepare(round) {
      const id = await one.create(`rotated-${round}`, 'AES_256_GCM')
      return [verbs(one, id).rotate, verbs(other, id).rotate]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two rotations of one etag',
    async prepare(round) {
      const id = await one.create(`same-etag-${round}`, 'AES_256_GCM')
      const { etag = '' } = await one.vault.getCryptoKey({ ...one.at, id })
      return [one, other].map(by => () => by.vault.rotateCryptoKey({ ...by.at, id, body: { etag } }))
    },
    documented: ['OK, ETAG_MISMATCH', 'ETAG_MISMATCH, OK'],
  },
  {
    name: 'a destruction and its cancellation',
    async prepare(round) {
      const id = await rotated(`cancelled-${round}`)
      return [verbs(one, id).destroy, verbs(other, id).cancel]
    },
    documented: ['OK, OK', 'OK, KEY_VERSION_STATE'],
  },
  {
    name: 'two destructions',
    async prepare(round) {
      const id = await rotated(`destroyed-${round}`)
      return [verbs(one, id).destroy, verbs(other, id).destroy]
    },
    documented: ['OK, KEY_VERSION_STATE', 'KEY_VERSION_STATE, OK'],
  },
  {
    name: 'two cancellations',
    async prepare(round) {
      const id = await rotated(`kept-${round}`)
      await verbs(one, id).destroy()
      return [verbs(one, id).cancel, verbs(other, id).cancel]
    },
    documented: ['OK, KEY_VERSION_STATE', 'KEY_VERSION_STATE, OK'],
  },
  {
    name: 'a disabling and an encryption',
    async prepare(round) {
      const id = await one.create(`disabled-${round}`, 'AES_256_GCM')
      return [verbs(one, id).disable, verbs(other, id).encrypt]
    },
    documented: ['OK, OK', 'OK, KEY_VERSION_DISABLED'],
  },
  {
    name: 'a disabling and an enabling',
    async prepare(round) {
      const id = await one.create(`toggled-${round}`, 'AES_256_GCM')
      return [verbs(one, id).disable, verbs(other, id).enable]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a deletion and an encryption',
    async prepare(round) {
      const id = await one.create(`deleted-${round}`, 'AES_256_GCM')
      return [verbs(one, id).remove, verbs(other, id).encrypt]
    },
    documented: ['OK, OK', 'OK, CRYPTO_KEY_DELETE_SCHEDULED', 'OK, KEY_VERSION_DESTROYED'],
  },
  {
    name: 'a deletion and a rotation',
    async prepare(round) {
      const id = await one.create(`gone-${round}`, 'AES_256_GCM')
      return [verbs(one, id).remove, verbs(other, id).rotate]
    },
    documented: ['OK, OK', 'OK, CRYPTO_KEY_DELETE_SCHEDULED'],
  },
  {
    name: 'two deletions',
    async prepare(round) {
      const id = await rotated(`twice-${round}`)
      return [verbs(one, id).remove, verbs(other, id).remove]
    },
    documented: ['OK, CRYPTO_KEY_DELETE_SCHEDULED', 'CRYPTO_KEY_DELETE_SCHEDULED, OK'],
  },
  {
    name: 'two cancellations of a deletion',
    async prepare(round) {
      const id = await rotated(`revived-${round}`)
      await verbs(one, id).remove()
      return [verbs(one, id, '1').cancel, verbs(other, id, '2').cancel]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a destruction and a choice as the primary version',
    async prepare(round) {
      const id = await rotated(`chosen-${round}`)
      return [verbs(one, id).destroy, verbs(other, id).choose]
    },
    documented: ['OK, KEY_VERSION_DESTROYED', 'PRIMARY_VERSION_IN_USE, OK'],
  },
  {
    name: 'a destruction and a new payload under the version',
    async prepare(round) {
      const id = await one.create(`wraps-${round}`, 'AES_256_GCM')
      const { resource_id: secret } = await one.vault.createSecret({
        ...one.at,
        body: { name: `secret-${round}`, crypto_key_id: id },
      })
      const payload = { data: base64('text') }
      await verbs(one, id).rotate()
      return [
        verbs(one, id, '1').destroy,
        () => other.vault.addSecretVersion({ ...other.at, secret, body: { payload } }),
      ]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a deletion and a secret that names the key',
    async prepare(round) {
      const id = await one.create(`named-${round}`, 'AES_256_GCM')
      const body = { name: `naming-${round}`, crypto_key_id: id }
      return [verbs(one, id).remove, () => other.vault.createSecret({ ...other.at, body })]
    },
    documented: ['OK, CRYPTO_KEY_DELETE_SCHEDULED', 'CRYPTO_KEY_IN_USE, OK'],
  },
]

describe('concurrent calls of keys', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + rounds * 3000 },
    async ({ documented, name, prepare }) => {
      const outcomes = await race(rounds, prepare)
      console.log(`${name}: ${toldOutcomes(outcomes)}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    },
  )

  it('leave numbers without a gap and one primary version', async () => {
    const counts = new Set<number>()
    for await (const { id, primary_version, version_count } of one.vault.iterateCryptoKeys({
      ...one.at,
      page_size: 100,
    })) {
      const { versions } = await one.vault.listCryptoKeyVersions({ ...one.at, cryptokey: id })
      expect(versions.map(version => version.id)).toEqual(
        Array.from({ length: version_count }, (_, i) => String(version_count - i)),
      )
      expect(versions.filter(({ is_primary }) => is_primary).map(version => version.id)).toEqual([primary_version])
      counts.add(version_count)
    }
    expect([...counts].toSorted()).toEqual([1, 2, 3])
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})
