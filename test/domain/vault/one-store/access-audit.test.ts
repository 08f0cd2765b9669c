import { expect, it } from 'vitest'
import { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { AccessAudit } from '../../../../domain/vault/audit/access-audit.ts'
import type { Activity } from '../../../../domain/ports/audit.ts'
import { readActivity } from '../../../../domain/vault/audit/read-activity.ts'
import { keyringOf, workspace } from '../keyrings.ts'

const activity = (i: number): Activity => readActivity(undefined, `secret/versions/${i}`, workspace)

it('concurrent accesses share transactions, and each access waits for its own', async () => {
  const { store } = await keyringOf()
  const written: string[] = []
  let transactions = 0
  const counted: typeof store.tx = fn => {
    transactions += 1
    return store.tx(fn)
  }
  const audit = { recordActivity: async (_tx: unknown, { resourceId }: Activity) => void written.push(resourceId) }
  const accesses = new AccessAudit({ store: Object.assign(Object.create(store), { tx: counted }), audit })
  const recorded = Array.from({ length: 250 }, async (_, i) => {
    await accesses.record(activity(i))
    expect(written).toContain(`secret/versions/${i}`)
  })
  await Promise.all(recorded)
  expect(new Set(written).size).toBe(250)
  expect(transactions).toBeLessThan(6)
})

it('an access fails if its activity cannot be written, and later accesses do not', async () => {
  const { store } = await keyringOf()
  let isBroken = true
  const audit = {
    async recordActivity() {
      if (isBroken) throw new Error('the disk is full')
    },
  }
  const accesses = new AccessAudit({ store, audit })
  await expect(accesses.record(activity(1))).rejects.toThrow('the disk is full')
  isBroken = false
  await expect(accesses.record(activity(2))).resolves.toBeUndefined()
})

it('a keyring that was never opened is sealed', async () => {
  const { store } = await keyringOf()
  const keyring = new Keyring(store)
  expect(() => keyring.requireUnsealed()).toThrow('the vault is sealed')
  expect(keyring.sealedReason).toBe('the server has not yet opened the vault')
})
