import { formatMillis } from '../../runtime/timestamps.ts'
import type { Collection, Transaction } from '../ports/store.ts'
import { classCollection } from './classes/classes-store.ts'
import { newClass } from './class-calls/classes.ts'
import type { StorageEnvironment } from './environment.ts'
import { instanceCollection } from './instances/instances-store.ts'

/** The names of the rows that the bootstrap creates (storage.md 6). */
export const bootstrapNames = { storageClass: 'standard', instance: 'standard-local' } as const

/**
 * The collection with the single row that records the bootstrap, so that the bootstrap does not create rows again that
 * an operator has deleted.
 */
export const bootstraps: Collection<{ readonly id: 'bootstrap'; readonly create_time: string }> = {
  name: 'storage_bootstraps',
  id: 'id',
}

type Bootstrapping = Pick<StorageEnvironment, 'clock' | 'functions' | 'store'>

/**
 * Creates the default class `standard` and its instance, at most once in the life of a store, and only in the location
 * that the bootstrap of topology has created. The first check of the instance makes its folder.
 */
export async function bootstrap({ clock, functions, store }: Bootstrapping): Promise<void> {
  await store.tx(async tx => {
    if (await tx.get(bootstraps, 'bootstrap')) return
    const name = await functions.topology?.firstLocation(tx)
    const location = name === undefined ? undefined : await functions.topology?.requireLocation(tx, name)
    if (name === undefined || !location) return
    const now = clock.now()
    await tx.insert(bootstraps, { id: 'bootstrap', create_time: formatMillis(now) })
    // Classes that operators created before the bootstrap stay as they are.
    if (!(await tx.exists(classCollection, {})))
      await createFirst(tx, { clock }, { name, region: location.region }, now)
  })
}

async function createFirst(
  tx: Transaction,
  parts: Pick<Bootstrapping, 'clock'>,
  place: { readonly name: string; readonly region: string },
  now: number,
): Promise<void> {
  const settable = {
    name: bootstrapNames.storageClass,
    display_name: 'Standard',
    description: 'The first class of the native engine.',
    labels: {},
    state: 'STORAGE_CLASS_STATE_ACTIVE',
    tier: 'STORAGE_TIER_HOT',
    is_default: true,
    min_storage_duration: '0s',
    regions: [],
    multi_region: '',
  } as const
  const first = newClass(parts, 'native', { ...settable, regions: [] }, { now })
  await tx.insert(classCollection, first)
  const time = formatMillis(now)
  await tx.insert(instanceCollection, {
    id: parts.clock.newId(),
    name: bootstrapNames.instance,
    storage_class: first.name,
    storage_class_id: first.id,
    location: place.name,
    region: place.region,
    resource_pool: '',
    state: 'STORAGE_CLASS_INSTANCE_STATE_READY',
    capacity_bytes: 0,
    used_bytes: 0,
    available_bytes: 0,
    conditions: [],
    create_time: time,
    update_time: time,
  })
}
