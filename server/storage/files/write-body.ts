import type { FileHandle } from 'node:fs/promises'
import type { Chunks } from '../../../runtime/media.ts'
import { writeAll } from './write-all.ts'

/** The number of bytes that are collected for one write; while they are written, the next bytes are collected. */
const batchBytes = 131_072

/**
 * The number of written bytes after which the disk is told to store them while further bytes arrive: else the end of a
 * body would wait until all of it is stored.
 */
const storedBytes = 8 * 2 ** 20

/**
 * Lets one body at a time store its written bytes while further bytes arrive. Such a call holds one of the few threads of
 * the pool of Node.js for as long as the disk takes, and the writes of all bodies need these threads.
 */
export class EarlyStoring {
  #isRunning = false

  /** Runs `store` unless another body is being stored; returns its promise, or else undefined. */
  begin(store: () => Promise<void>): Promise<void> | undefined {
    if (this.#isRunning) return undefined
    this.#isRunning = true
    return store().finally(() => (this.#isRunning = false))
  }
}

/** The limits of a body, and the functions that receive its chunks and run its writes. */
export interface BodyRules {
  readonly maxBytes: number
  /** Makes the error of a body with more than `maxBytes` bytes. */
  readonly tooLong: () => Error
  /** Receives each chunk before it is written, for checksums. */
  readonly add: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Shared by all bodies of a disk. */
  readonly early: EarlyStoring
  /** Runs a write, and may replace its error. */
  readonly attempt: (write: () => Promise<void>) => Promise<void>
}

/** Writes a body at the position of a file, in bounded memory, and returns the number of its bytes. */
export async function writeBody(
  body: Chunks,
  handle: FileHandle,
  { add, attempt, early, maxBytes, tooLong }: BodyRules,
): Promise<number> {
  let batch: Uint8Array<ArrayBuffer>[] = []
  let [held, unstored, size] = [0, 0, 0]
  let writing: Promise<void> = Promise.resolve()
  let storing: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    const full = batch
    batch = []
    held = 0
    await writing
    writing = full.length === 0 ? Promise.resolve() : attempt(() => writeAll(handle, full))
    // The failure is thrown where `writing` is awaited.
    writing.catch(() => {})
  }
  const store = async (): Promise<void> => {
    const begun = early.begin(() => writing.then(() => attempt(() => handle.datasync())))
    if (!begun) return
    begun.catch(() => {})
    unstored = 0
    await storing
    storing = begun
  }
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLong()
    await add(chunk)
    batch.push(chunk)
    held += chunk.length
    unstored += chunk.length
    if (held >= batchBytes) await flush()
    if (unstored >= storedBytes) await store()
  }
  await flush()
  await writing
  await storing
  return size
}
