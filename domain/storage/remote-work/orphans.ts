import type { Turn } from '../../ports/workers.ts'
import { classCollection, type StoredClass } from '../classes/classes-store.ts'
import { classKind } from '../classes/class-kind.ts'
import { probeMark, removeProbe } from '../remote-classes/probe.ts'
import { remoteCollection } from '../remote-buckets/remote-rows.ts'
import { unless } from '../remote-store/remote-fault.ts'
import type { Converging } from './converging.ts'

/** The age from which a bucket of a store without a row is deleted, in milliseconds. */
const orphanMs = 3_600_000

/** Matches the id of a bucket, a UUIDv7, without hyphens. */
const bucketId = /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/

/** Matches the name of the bucket of a probe without the prefix of its class. */
const probeName = new RegExp(`^${probeMark}[0-9a-f-]{36}$`)

/**
 * Deletes the buckets of all stores that have the prefix of a class and the form of an id after it, and have had no row
 * for an hour. A bucket with content is kept, because no store deletes it. Deletes what probes have left, too.
 */
export async function dropOrphans(environment: Converging, turn: Turn): Promise<void> {
  for await (const { id, value } of environment.store.each(classCollection)) {
    if (turn.signal.aborted) return
    if (!value.s3) continue
    try {
      await dropOrphansOf(environment, turn, value)
    } catch (error) {
      if (turn.signal.aborted) return
      environment.failed(error, `${classKind.type} ${id}`)
    }
  }
}

async function dropOrphansOf({ clock, store: rows, stores }: Converging, turn: Turn, of: StoredClass): Promise<void> {
  const store = await stores.of(of)
  const prefix = of.s3?.bucket_prefix ?? ''
  for await (const { createdMs, name } of store.buckets()) {
    if (turn.signal.aborted) return
    if (!name.startsWith(prefix) || createdMs + orphanMs > clock.now()) continue
    const rest = name.slice(prefix.length)
    if (probeName.test(rest)) await removeProbe(store, name)
    if (!bucketId.test(rest) || (await rows.exists(remoteCollection, { id: idOf(rest) }))) continue
    await unless(store.deleteBucket(name), 'bucket', 'object', 'notEmpty')
  }
}

const idOf = (text: string): string =>
  [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
