import { Materials } from '../../../../domain/vault/keys/materials.ts'
import { RevocationLists } from '../../../../domain/vault/revocation/revocation-lists.ts'
import { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe } from '../../../../domain/vault/seal/open-safe.ts'
import { createClock } from '../../../../server/clock.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'

/** Returns a keyring over a store whose root key is the key of these tests. */
export async function testKeyring(store: ServerStore): Promise<Keyring> {
  const keyring = new Keyring(store)
  const roots = { current: { id: 'first', bytes: Buffer.alloc(32, 'first') } }
  const safe = await openSafe(store, createClock(), roots)
  if (!isOpenSafe(safe)) throw new Error(safe.reason)
  keyring.unseal(safe, roots)
  return keyring
}

/** Returns the revocation lists of a server over a store, whose clock stands at `time`. */
export async function listsOver(store: ServerStore, time: number): Promise<RevocationLists> {
  const keyring = await testKeyring(store)
  const materials = new Materials(keyring, { listen: () => {}, revise: async () => {} })
  return new RevocationLists({ clock: { ...createClock(), now: () => time }, keyring, materials, store })
}
