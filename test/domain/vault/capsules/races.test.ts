import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { redeemedText, tenantCapsules, type MadeCapsule, type TenantCapsules } from './tenant-capsules.ts'
import { afterTests } from '../../../undo.ts'

/**
 * The number of rounds of each race. For two hundred rounds:
 * `NINEFOLD_RACE_LAPS=200 npx vitest run test/domain/vault/capsules/races.test.ts`
 */
const rounds = Number(process.env['NINEFOLD_RACE_LAPS'] ?? (postgresUrl() === undefined ? 20 : 4))

/** The rounds of races with a passphrase, whose check takes some 30 ms of a thread. */
const slowRounds = Math.ceil(rounds / 8)

let tenant: TenantCapsules
/** The calls of anyone and of the administrator on a second server of the same PostgreSQL; on SQLite, on the same server. */
let other: { readonly anyone: Ninefold; readonly admin: Ninefold }

beforeAll(async () => {
  tenant = await tenantCapsules({ later: afterTests })
  const { anyone, admin, platform } = tenant
  other = { anyone, admin: admin.api }
  const { dataDir, storeUrl } = platform.config
  if (storeUrl === undefined) return
  const second = await testPlatform({ config: { dataDir, storeUrl }, later: afterTests })
  other = { anyone: second.as(), admin: (await second.admin()).api }
})

const passphrase = 'quiet harbour'
const most = 5

const redeem = (capsule: MadeCapsule) => async (): Promise<void> => {
  expect(await redeemedText(tenant.anyone, capsule)).toBe('once')
}
const redeemElsewhere = (capsule: MadeCapsule) => async (): Promise<void> => {
  expect(await redeemedText(other.anyone, capsule)).toBe('once')
}
const revoke =
  ({ id }: MadeCapsule) =>
  (): Promise<unknown> =>
    other.admin.vault.revokeCapsule({ ...tenant.at, id, body: {} })

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two redemptions',
    async prepare() {
      const capsule = await tenant.create('once')
      return [redeem(capsule), redeemElsewhere(capsule)]
    },
    documented: ['OK, CAPSULE_NOT_ACTIVE', 'CAPSULE_NOT_ACTIVE, OK'],
  },
  {
    name: 'a redemption and a revocation',
    async prepare() {
      const capsule = await tenant.create('once')
      return [redeem(capsule), revoke(capsule)]
    },
    documented: ['OK, CAPSULE_NOT_ACTIVE', 'CAPSULE_NOT_ACTIVE, OK'],
  },
  {
    name: 'two revocations',
    async prepare() {
      const capsule = await tenant.create('once')
      return [revoke(capsule), revoke(capsule)]
    },
    documented: ['OK, CAPSULE_NOT_ACTIVE', 'CAPSULE_NOT_ACTIVE, OK'],
  },
  {
    name: 'two capsules of one name',
    async prepare(round) {
      const make = (by: Ninefold) => () =>
        by.vault.createCapsule({ ...tenant.at, body: { name: `same-${round}`, payload: { data: 'YQ==' } } })
      return [make(tenant.admin.api), make(other.admin)]
    },
    documented: ['OK, CAPSULE_ALREADY_EXISTS', 'CAPSULE_ALREADY_EXISTS, OK'],
  },
]

describe('concurrent calls of capsules', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + rounds * 3000 },
    async ({ documented, name, prepare }) => {
      const outcomes = await race(rounds, prepare)
      console.log(`${name}: ${toldOutcomes(outcomes)}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    },
  )

  it(
    'parallel wrong passphrases lock a capsule after exactly its attempts',
    { timeout: 60_000 + slowRounds * 5000 },
    async () => {
      for (let round = 0; round < slowRounds; round += 1) {
        const capsule = await tenant.create('once', { passphrase, max_attempts: most })
        const guesses = Array.from(
          { length: most + 3 },
          (_, i) => () => redeemedText(i % 2 === 0 ? tenant.anyone : other.anyone, capsule, `wrong guess ${i}`),
        )
        const outcomes = await race(1, async () => guesses)
        const given = [...outcomes.keys()].join().split(', ')
        expect(given.filter(each => !['CAPSULE_PASSPHRASE_INVALID', 'CAPSULE_NOT_ACTIVE'].includes(each))).toEqual([])
        const { failed_attempts, state } = await tenant.admin.api.vault.getCapsule({ ...tenant.at, id: capsule.id })
        expect({ failed_attempts, state }).toEqual({ failed_attempts: most, state: 'VAULT_CAPSULE_STATE_LOCKED' })
      }
    },
  )

  it(
    'a right passphrase among fewer wrong ones than the attempts always redeems',
    { timeout: 60_000 + slowRounds * 5000 },
    async () => {
      for (let round = 0; round < slowRounds; round += 1) {
        const capsule = await tenant.create('once', { passphrase, max_attempts: most })
        const right = async (): Promise<void> => {
          expect(await redeemedText(tenant.anyone, capsule, passphrase)).toBe('once')
        }
        const wrong = Array.from(
          { length: most - 2 },
          (_, i) => () => redeemedText(other.anyone, capsule, `wrong guess ${i}`),
        )
        const [outcome = ''] = (await race(1, async () => [right, ...wrong])).keys()
        expect(outcome).toMatch(/^OK, /)
        const { state } = await tenant.admin.api.vault.getCapsule({ ...tenant.at, id: capsule.id })
        expect(state).toBe('VAULT_CAPSULE_STATE_REDEEMED')
      }
    },
  )

  it('leave nothing by halves', async () => {
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})
