import { expect, it, onTestFinished } from 'vitest'
import type { Store, Transaction } from '../../../../domain/ports/store.ts'
import { keyVersionCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { Ninefold } from '../../../../output/client.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { testToken } from '../../../server/access/test-access.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { openDue } from '../due/due-platform.ts'
import { addVersions, endWindows } from '../keys/big-key.ts'
import { engine } from '../tenant-secrets.ts'
import { walkedAreas } from '../walked-areas.ts'

/** Far more calls than fit into a batch of some milliseconds, and far fewer than 1,000 versions need. */
const mostCalls = 1500

const counts = { versions: 1000, alive: 20 }

/** Records the number of calls of each transaction of a store from now on. */
function counted(store: Store): number[] {
  const calls: number[] = []
  const begin = store.tx.bind(store)
  store.tx = fn =>
    begin(tx => {
      const at = calls.push(0) - 1
      const count = (): void => void (calls[at] = (calls[at] ?? 0) + 1)
      return fn(watched(tx, count))
    })
  return calls
}

const watched = (tx: Transaction, count: () => void): Transaction =>
  new Proxy(tx, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        count()
        return Reflect.apply(member, target, given)
      }
    },
  })

it('keys with 1,000 versions are removed in transactions of bounded length, at their time and with their workspace', async () => {
  const place = await testStorePlace()
  const platform = await openDue(place, worker => ({ ...worker, everyMs: 50 }))
  onTestFinished(() => platform.close())
  const { store } = platform
  const api = new Ninefold(platform.transport(testToken))
  const { organisation, workspace } = await addTenant(api, 'acme')
  const at = { workspace, engine }
  const create = async (name: string): Promise<string> => {
    const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
    const { resource_id } = await api.vault.createCryptoKey({ ...at, body: { name, purpose } })
    await addVersions(store, resource_id, counts)
    return resource_id
  }
  const versionsOf = (crypto_key_id: string): Promise<number> => store.count(keyVersionCollection, { crypto_key_id })
  const deleted = await create('deleted')
  await api.vault.deleteCryptoKey({ ...at, id: deleted })
  await endWindows(store, deleted, counts)
  const calls = counted(store)
  await expect.poll(() => versionsOf(deleted), { timeout: 60_000 }).toBe(0)
  await expect(api.vault.getCryptoKey({ ...at, id: deleted })).rejects.toMatchObject({ reason: 'CRYPTO_KEY_NOT_FOUND' })
  const kept = await create('kept')
  calls.splice(0)
  await api.taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  const deletion = await api.taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(() => versionsOf(kept), { timeout: 60_000 }).toBe(0)
  expect(await api.taxonomy.waitOperation(deletion)).toMatchObject({ errors: [], warnings: [] })
  expect(Math.max(...calls)).toBeLessThan(mostCalls)
  expect(calls.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(counts.versions * 2)
  expect(await doctorFindings(place, walkedAreas)).toEqual([])
})
