import { expect } from 'vitest'
import type { Storage } from '../../../../domain/ports/storage.ts'
import type { LogEntry, LogSink, LogSinkInput, LogSinkUpdate } from '../../../../output/observability/types.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { functionCaller } from '../../../areas/function-caller.ts'
import type { Later } from '../../../server/store/harness.ts'
import { servedPlane, type ServedPlane } from '../ingest/served-plane.ts'
import { logsRequest } from '../logs/served-logs.ts'
import { areasWithClock } from '../moved-clock.ts'
import { entriesOf } from './exported-entries.ts'
import { lineReceiver, type LineReceiver } from './line-receiver.ts'

/** The longest wait for an export, in milliseconds; the worker looks ten times a second. */
export const waitMs = 60_000

/** A clock that runs, ahead of the real clock by a time that a test sets. */
export class ShiftedClock {
  shiftMs = 0

  /** The time of the clock in milliseconds since 1970. */
  get now(): number {
    return Date.now() + this.shiftMs
  }
}

/** A served platform whose sinks a test makes, and whose clock the test moves. */
export interface ServedSinks {
  readonly plane: ServedPlane
  readonly clock: ShiftedClock
  /** A bucket of the workspace. */
  readonly bucket: string
  readonly path: { readonly workspace: string; readonly engine: string }
  readonly storage: Storage
  /** A receiver to which sinks may send. */
  readonly receiver: LineReceiver
  create(body: LogSinkInput): Promise<string>
  get(id: string): Promise<LogSink>
  update(id: string, body: LogSinkUpdate, update_mask: string): Promise<unknown>
  /** Pushes lines of a service. */
  push(service: string, ...lines: readonly string[]): Promise<void>
  /** Moves the clock past the shortest time for which entries are collected. */
  passFlush(): void
  /** Waits until a sink has exported a number of entries in all, and returns it. */
  exported(id: string, entries: number): Promise<LogSink>
  /** Returns the entries of the objects below a prefix, by the names of the objects. */
  objects(prefix: string): Promise<ReadonlyMap<string, readonly LogEntry[]>>
}

/** Returns the bytes of each object below a prefix, in the order of their names. */
export async function objectsBelow(
  storage: Storage,
  place: { readonly workspace: string; readonly bucket: string },
  prefix: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for await (const { object } of storage.listObjects(place, prefix)) {
    const { body } = await storage.readObject(undefined, { ...place, object })
    found.set(object, new Uint8Array(await new Response(body).arrayBuffer()))
  }
  return found
}

/** Serves a platform with a bucket; requests of sinks may go to this host. */
export async function servedSinks(later: Later): Promise<ServedSinks> {
  const clock = new ShiftedClock()
  const caller = functionCaller(areasWithClock(clock))
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  const plane = await servedPlane(later, given, caller.areas)
  const { observability, storage } = plane.api
  const path = { workspace: plane.tenant.workspace, engine: 'native' }
  const { resource_id: bucket } = await storage.createBucket({ ...path, body: { name: 'archive' } })
  const config = await plane.config({ name: 'otlp', otlp: {} })
  const get = (id: string) => observability.getLogSink({ ...path, id })
  return {
    plane,
    clock,
    bucket,
    path,
    storage: caller.functions('storage'),
    receiver: await lineReceiver(later),
    create: async body => (await observability.createLogSink({ ...path, body })).resource_id,
    get,
    update: (id, body, update_mask) => observability.updateLogSink({ ...path, id, body, update_mask }),
    async push(service, ...lines) {
      const records = lines.map(line => ({ timeUnixNano: `${clock.now}000000`, body: { stringValue: line } }))
      const answer = await plane.push(config, JSON.stringify(logsRequest(service, records)), { path: '/v1/logs' })
      expect([answer.status, await answer.text()]).toEqual([200, '{}'])
    },
    passFlush: () => void (clock.shiftMs += 61_000),
    async exported(id, entries) {
      await expect.poll(async () => (await get(id)).exported_entries, { timeout: waitMs }).toBe(entries)
      return get(id)
    },
    async objects(prefix) {
      const found = await objectsBelow(caller.functions('storage'), { workspace: path.workspace, bucket }, prefix)
      return new Map([...found].map(([name, bytes]) => [name, entriesOf(bytes)]))
    },
  }
}
