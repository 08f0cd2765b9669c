import type { BucketInput, LifecycleRuleInput } from '../../../../output/storage/types.ts'
import type { Turn, Worker } from '../../../../domain/ports/workers.ts'
import type { Store, Transaction } from '../../../../domain/ports/store.ts'
import { versionCollection, type StoredVersion } from '../../../../domain/storage/objects/versions-store.ts'
import { uploadCollection } from '../../../../domain/storage/uploads/uploads-store.ts'
import type { AreaModule } from '../../../../server/area.ts'
import type { PlatformServices } from '../../../../server/area-parts.ts'
import { areas } from '../../../../server/areas.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

const name = 'storage.lifecycle'

/** The worker of lifecycle rules, which runs when a test calls `run`, and at no other time. */
export class HeldLifecycle {
  readonly areas: readonly AreaModule[]
  #parts: { readonly store: Store; readonly worker: Worker } | undefined

  constructor() {
    this.areas = areas.map(area => (area.domain.name === 'storage' ? this.#held(area) : area))
  }

  /** The store of the platform. */
  get store(): Store {
    return this.#mounted().store
  }

  /** Runs the rules of all buckets once. `tx` replaces the transactions of the run. */
  run(tx: Turn['tx'] = this.store.tx.bind(this.store), signal = new AbortController().signal): Promise<void> {
    return this.#mounted().worker.run({ signal, tx })
  }

  /** Moves the times of the versions and uploads of a name into the past. */
  age(bucket: string, object: string, days: number): Promise<void> {
    return this.store.tx(tx => age(tx, bucket, object, days * 86_400_000))
  }

  #mounted() {
    if (!this.#parts) throw new Error('storage is not mounted')
    return this.#parts
  }

  #held(area: AreaModule): AreaModule {
    return {
      ...area,
      mount: (parts: PlatformServices) => {
        const mounted = area.mount(parts)
        const worker = mounted.workers.find(each => each.name === name)
        if (!worker) throw new Error(`storage has no worker ${name}`)
        this.#parts = { store: parts.store, worker }
        const idle = { ...worker, run: async () => {} }
        return { ...mounted, workers: mounted.workers.map(each => (each === worker ? idle : each)) }
      },
    }
  }
}

/** A platform with a bucket with lifecycle rules, whose worker the test runs. */
export interface RuledStorage extends TenantStorage {
  readonly lifecycle: HeldLifecycle
  /** Returns the versions and delete markers of the bucket as `name size` or `name marker`, newest first of each name. */
  left(): Promise<readonly string[]>
  /** Moves the times of the versions and uploads of a name into the past. */
  age(object: string, days: number): Promise<void>
  /** Returns the operations of the platform itself on the bucket. */
  operations(): Promise<readonly { readonly id: string; readonly warnings: readonly unknown[] }[]>
}

/** Starts a platform with a bucket with lifecycle rules. */
export async function ruledStorage(
  lifecycle_rules: readonly LifecycleRuleInput[],
  bucket: Partial<BucketInput> = {},
): Promise<RuledStorage> {
  const lifecycle = new HeldLifecycle()
  const tenant = await tenantStorage({ lifecycle_rules: [...lifecycle_rules], ...bucket }, { areas: lifecycle.areas })
  const { admin, at } = tenant
  const { storage } = admin.api
  return {
    ...tenant,
    lifecycle,
    async left() {
      const found: string[] = []
      for await (const { is_delete_marker, name: object, size } of storage.iterateObjects({ ...at, versions: true }))
        found.push(`${object} ${is_delete_marker ? 'marker' : size}`)
      return found
    },
    age: (object, days) => lifecycle.age(at.bucket, object, days),
    async operations() {
      const filter = `resource_id = "${at.bucket}" AND operation_type = STORAGE_OPERATION_TYPE_UPDATE`
      const { operations } = await storage.listOperations({ filter })
      return operations.filter(({ trace_id }) => trace_id === '')
    },
  }
}

async function age(tx: Transaction, bucket_id: string, object: string, ms: number): Promise<void> {
  const earlier = (time: string): string => new Date(Date.parse(time) - ms).toISOString()
  for await (const { id, value, version } of tx.each(versionCollection, { bucket_id, name: object })) {
    const times = { create_time: earlier(value.create_time), update_time: earlier(value.update_time) }
    await tx.update(versionCollection, id, { ...value, ...times } satisfies StoredVersion, version)
  }
  for await (const { id, value, version } of tx.each(uploadCollection, { bucket_id })) {
    if (value.object !== object) continue
    const times = { create_time: earlier(value.create_time) }
    await tx.update(uploadCollection, id, { ...value, ...times }, version)
  }
}
