import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { OperationError } from '../../../domain/ports/procedures.ts'
import { keySize } from '../../../domain/vault/seal/aead.ts'
import type { Keyring } from '../../../domain/vault/seal/keyring.ts'
import type { SnapshotOrder, SnapshotWriter } from '../../../domain/vault/snapshots/snapshot-writer.ts'
import { snapshotVerifyFailed, snapshotWriteFailed } from '../../../output/vault/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Log } from '../../log.ts'
import { storeFormat } from '../../store/format.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { exportedCollections } from './exported.ts'
import { snapshotFormat } from './header.ts'
import { readOnlyCollections, type ReadPlace } from './open-exported.ts'
import type { SnapshotFolder } from './snapshot-folder.ts'
import type { SnapshotMeter } from './snapshot-meter.ts'
import type { ThreadResult, ThreadWork } from './thread-messages.ts'

/** The parts of a server that writing snapshots needs. */
export interface SnapshotterParts {
  readonly folder: SnapshotFolder
  /** The number of finished snapshots that are kept. */
  readonly keep: number
  readonly place: ReadPlace
  readonly keyring: Pick<Keyring, 'wrapSnapshotKey'>
  readonly meter: SnapshotMeter
  readonly clock: Clock
  readonly log: Log
}

/** Writes snapshots in a thread, into the folder of the server. */
export class Snapshotter implements SnapshotWriter {
  readonly #parts: SnapshotterParts

  constructor(parts: SnapshotterParts) {
    this.#parts = parts
  }

  async write(order: SnapshotOrder, signal: AbortSignal): Promise<OperationError | undefined> {
    const started = performance.now()
    const { folder, log, meter } = this.#parts
    try {
      const result = await this.#written(order, signal)
      if (result.kind === 'failed') {
        await folder.discard(order.id)
        log.error({ snapshot: order.id, fault: result.message }, `a snapshot of the vault failed (${result.stage})`)
        meter.failed(result.stage)
        return errorOf(result.stage, result.fault)
      }
      await this.#finish(order.id, signal)
      const seconds = (performance.now() - started) / 1000
      const { bytes, rows } = result
      log.info({ snapshot: order.id, bytes, rows, seconds }, 'a snapshot of the vault was written')
      meter.written({ bytes, seconds, timeMs: this.#parts.clock.now() })
      return undefined
    } catch (error) {
      await folder.discard(order.id).catch(() => {})
      signal.throwIfAborted()
      const code = systemCode(error)
      if (code === '') throw error
      log.error({ err: error, snapshot: order.id }, 'a snapshot of the vault failed (write)')
      meter.failed('write')
      return errorOf('write', `the folder of the snapshots cannot be used (${code}); see vault.snapshots.dir`)
    }
  }

  async #written(order: SnapshotOrder, signal: AbortSignal): Promise<ThreadResult> {
    const { clock, folder, keyring, place } = this.#parts
    await folder.make()
    await folder.sweep(undefined)
    const key = randomBytes(keySize)
    try {
      const header = {
        format: snapshotFormat,
        ...keyring.wrapSnapshotKey(order.id, key),
        create_time: formatMillis(clock.now()),
        schema_version: storeFormat,
        description: order.description,
      } as const
      const collections = readOnlyCollections(exportedCollections())
      const file = { part: folder.partOf(order.id), header, key, collections }
      return await inThread({ ...file, place, verify: order.verify }, signal)
    } finally {
      key.fill(0)
    }
  }

  /** Gives the file its name, unless another server has taken the work over meanwhile; then deletes old snapshots. */
  async #finish(id: string, signal: AbortSignal): Promise<void> {
    const { folder, keep, log } = this.#parts
    signal.throwIfAborted()
    await folder.finish(id)
    const removed = await folder.prune(keep)
    if (removed.length > 0) log.info({ removed, keep }, 'old snapshots of the vault were deleted')
  }
}

const errorOf = (stage: 'write' | 'verify', fault: string): OperationError =>
  stage === 'write'
    ? { ...snapshotWriteFailed, description: `the snapshot could not be written: ${fault}` }
    : { ...snapshotVerifyFailed, description: `the written snapshot could not be read back: ${fault}` }

/** Runs the thread of a snapshot to its end; rejects with the reason of `signal` once it is aborted. */
async function inThread(work: ThreadWork, signal: AbortSignal): Promise<ThreadResult> {
  signal.throwIfAborted()
  // The ending is that of this file, because compiled code has another ending.
  const program = new URL(import.meta.url.replace(/[^/]*\.([^.]*)$/, 'snapshot-thread.$1'))
  const thread = new Worker(program, { workerData: work, name: 'vault snapshot' })
  const stop = (): void => void thread.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise<ThreadResult>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('the thread of a snapshot ended without a result')))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    // The file must not be written any more once its fate is decided.
    await thread.terminate()
    signal.throwIfAborted()
  }
}
