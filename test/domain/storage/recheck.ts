import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { checkInstances } from '../../../domain/storage/instances/check-instances.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { InstanceRoots, type InstanceRoot } from '../../../server/storage/instances/instance-roots.ts'
import type { Member } from '../../areas/members.ts'
import type { TestPlatform } from '../../areas/test-platform.ts'
import { openBeside } from '../../server/store/left-place.ts'

/** Checks the instances of a platform at once, as its worker does each minute. */
export async function recheck(
  { config }: Pick<TestPlatform, 'config'>,
  roots?: readonly InstanceRoot[],
): Promise<void> {
  const store = await openBeside(config, storeCollections(areas))
  const own = [{ path: join(config.dataDir, 'storage'), location: 'local' }]
  const folders = new InstanceRoots(roots ?? own, { warn: () => {} })
  const clock = { now: () => Date.now(), newId: () => randomUUID() }
  await checkInstances({ clock, folders, store }, { signal: new AbortController().signal, tx: store.tx.bind(store) })
  await store.close()
}

/** Returns the only instance of the class `standard`. */
export async function standardInstance({ admin: { api } }: { readonly admin: Pick<Member, 'api'> }) {
  const { instances } = await api.storage.listStorageClassInstances({ storage_class: 'standard' })
  const [instance] = instances
  if (!instance) throw new Error('the class standard has no instance')
  return instance
}
