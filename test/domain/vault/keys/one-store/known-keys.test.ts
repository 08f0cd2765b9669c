import { expect, it } from 'vitest'
import { KnownKeys } from '../../../../../domain/vault/keys/known-keys.ts'
import { keyVersionRowId } from '../../../../../domain/vault/keys/key-versions-store.ts'
import type { KeyChanges } from '../../../../../domain/vault/seal/key-changes.ts'
import type { Reader, Stored } from '../../../../../domain/ports/store.ts'

const id = '01900000-0000-7000-8000-0000000000aa'
const otherId = '01900000-0000-7000-8000-0000000000bb'
const enabled = { state: 'VAULT_CRYPTO_KEY_STATE_ENABLED' }
const enabledVersion = { state: 'VAULT_CRYPTO_KEY_VERSION_STATE_ENABLED' }

/** Makes a cache whose changes a test applies, and a reader that counts its reads. */
function cacheOf(rows: Record<string, object>) {
  const caches: Parameters<KeyChanges['listen']>[0][] = []
  const known = new KnownKeys({ revise: async () => {}, listen: cache => void caches.push(cache) })
  let reads = 0
  let during = (): void => {}
  const reader = {
    async get(_collection: unknown, row: string) {
      reads += 1
      const value = rows[row]
      during()
      return value && ({ id: row, value, version: 1 } as unknown as Stored<never>)
    },
  } as unknown as Reader
  return {
    known,
    reader,
    reads: () => reads,
    changed: (key: string) => caches.forEach(cache => cache.changed(key)),
    reset: () => caches.forEach(cache => cache.reset()),
    duringRead: (run: () => void) => (during = run),
  }
}

const rows = {
  [id]: enabled,
  [keyVersionRowId(id, '1')]: enabledVersion,
  [otherId]: enabled,
}

it('reads the rows of an ENABLED key and version once', async () => {
  const { known, reader, reads } = cacheOf(rows)
  for (let i = 0; i < 3; i += 1) {
    expect((await known.key(reader, id))?.value).toBe(enabled)
    expect((await known.version(reader, id, '1'))?.value).toBe(enabledVersion)
  }
  expect([reads(), known.cached]).toEqual([2, 2])
})

it.each([
  ['an absent key', {}],
  ['a key that is going to be deleted', { [id]: { state: 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED' } }],
])('keeps no row of %s', async (_, stored) => {
  const { known, reader } = cacheOf(stored)
  await known.key(reader, id)
  expect(known.cached).toBe(0)
})

it.each(['DISABLED', 'PENDING_GENERATION', 'DESTROY_SCHEDULED', 'DESTROYED', 'GENERATION_FAILED'])(
  'keeps no row of a version that is %s',
  async state => {
    const row = { state: `VAULT_CRYPTO_KEY_VERSION_STATE_${state}` }
    const { known, reader } = cacheOf({ [keyVersionRowId(id, '1')]: row })
    expect((await known.version(reader, id, '1'))?.value).toBe(row)
    expect(known.cached).toBe(0)
  },
)

it.each([
  ['a change of the key drops its rows', `cryptoKeys/${id}`, 1],
  ['a change of another key drops no row', 'cryptoKeys/01900000-0000-7000-8000-0000000000cc', 3],
  ['a change of the key of a workspace drops all rows', `workspaces/${id}`, 0],
])('%s', async (_, change, left) => {
  const { changed, known, reader } = cacheOf(rows)
  await known.key(reader, id)
  await known.version(reader, id, '1')
  await known.key(reader, otherId)
  changed(change)
  expect(known.cached).toBe(left)
})

it.each(['changed', 'reset'] as const)('keeps no row whose read began before the cache was %s', async how => {
  const cache = cacheOf(rows)
  cache.duringRead(() => (how === 'reset' ? cache.reset() : cache.changed(`cryptoKeys/${otherId}`)))
  await cache.known.key(cache.reader, id)
  await cache.known.version(cache.reader, id, '1')
  expect(cache.known.cached).toBe(0)
})
