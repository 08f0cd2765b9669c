import { createClock } from '../../../server/clock.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { Keyring } from '../../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe, type RootKeys } from '../../../domain/vault/seal/open-safe.ts'
import type { RootKey } from '../../../domain/vault/seal/root-key.ts'
import { sealCollections } from '../../../domain/vault/seal/seal-store.ts'
import { testStore } from '../../server/store/harness.ts'

/** The id of a workspace. */
export const workspace = '01890000-0000-7000-8000-000000000001'

/** Returns the root key of a name, whose bytes follow from the name. */
export const rootKey = (id: string): RootKey => ({ id, bytes: Buffer.alloc(32, id) })

/** Returns an empty store, and a function that opens a keyring over it as a server does. */
export async function keyringOf(): Promise<{
  readonly store: ServerStore
  readonly open: (roots?: RootKeys) => Promise<Keyring>
}> {
  const store = await testStore(...sealCollections)
  const clock = createClock()
  return {
    store,
    async open(roots = { current: rootKey('first') }) {
      const keyring = new Keyring(store)
      const opened = await openSafe(store, clock, roots)
      if (isOpenSafe(opened)) keyring.unseal(opened, roots)
      else keyring.seal(opened.reason)
      return keyring
    },
  }
}
