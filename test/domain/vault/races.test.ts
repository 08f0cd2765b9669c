import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../areas/race.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { secretCalls, tenantSecrets, type TenantSecrets } from './tenant-secrets.ts'
import { afterTests } from '../../undo.ts'

type Calls = ReturnType<typeof secretCalls> & { readonly vault: TenantSecrets['admin']['api']['vault'] }

let tenant: TenantSecrets
let one: Calls
/** The calls on a second server of the same PostgreSQL; on SQLite, the calls `one`. */
let other: Calls

beforeAll(async () => {
  tenant = await tenantSecrets({ later: afterTests })
  const { admin, platform, workspace } = tenant
  one = { ...secretCalls(admin, workspace), vault: admin.api.vault }
  other = one
  const { dataDir, storeUrl } = platform.config
  if (storeUrl === undefined) return
  const second = await (await testPlatform({ config: { dataDir, storeUrl }, later: afterTests })).admin()
  other = { ...secretCalls(second, workspace), vault: second.api.vault }
})

/** Makes a secret of one version for a round. */
async function versioned(name: string, more = {}): Promise<string> {
  const secret = await one.create(name, more)
  await one.add(secret, 'one')
  return secret
}

const verb = ({ at, vault }: Calls, secret: string) => ({
  disable: () => vault.disableSecretVersion({ ...at, secret, id: '1', body: {} }),
  enable: () => vault.disableSecretVersion({ ...at, secret, id: '1', body: { disabled: false } }),
  destroy: () => vault.destroySecretVersion({ ...at, secret, id: '1', body: {} }),
  remove: () => vault.deleteSecret({ ...at, id: secret }),
})

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two secrets of one name',
    prepare: async round => [one, other].map(by => () => by.create(`same-${round}`)),
    documented: ['OK, SECRET_ALREADY_EXISTS', 'SECRET_ALREADY_EXISTS, OK'],
  },
  {
    name: 'two new versions',
    async prepare(round) {
      const secret = await one.create(`added-${round}`)
      return [one, other].map((by, i) => () => by.add(secret, `value ${i}`))
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a destruction and a read',
    async prepare(round) {
      const secret = await versioned(`read-${round}`)
      return [verb(one, secret).destroy, () => other.read(secret, 'latest')]
    },
    documented: ['OK, OK', 'OK, SECRET_VERSION_DESTROYED'],
  },
  {
    name: 'a disabling and an enabling',
    async prepare(round) {
      const secret = await versioned(`toggled-${round}`)
      return [verb(one, secret).disable, verb(other, secret).enable]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two destructions',
    async prepare(round) {
      const secret = await versioned(`destroyed-${round}`)
      return [verb(one, secret).destroy, verb(other, secret).destroy]
    },
    documented: ['OK, SECRET_VERSION_DESTROYED', 'SECRET_VERSION_DESTROYED, OK'],
  },
  {
    name: 'a deletion and a new version',
    async prepare(round) {
      const secret = await versioned(`deleted-${round}`)
      return [verb(one, secret).remove, () => other.add(secret, 'two')]
    },
    documented: ['OK, OK', 'OK, SECRET_NOT_FOUND'],
  },
  {
    name: 'a destruction and an alias to its version',
    async prepare(round) {
      const secret = await versioned(`named-${round}`)
      const update = { ...other.at, id: secret, update_mask: 'version_aliases' }
      return [
        verb(one, secret).destroy,
        () => other.vault.updateSecret({ ...update, body: { version_aliases: { stable: '1' } } }),
      ]
    },
    documented: ['OK, OK', 'OK, SECRET_VERSION_DESTROYED'],
  },
]

describe('concurrent calls', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + raceRounds * 2000 },
    async ({ documented, name, prepare }) => {
      const outcomes = await race(raceRounds, prepare, async () => {
        for await (const { id } of one.vault.iterateSecrets(one.at)) await one.vault.deleteSecret({ ...one.at, id })
      })
      console.log(`${name}: ${toldOutcomes(outcomes)}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it('the store is sound after the races', async () => {
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})
