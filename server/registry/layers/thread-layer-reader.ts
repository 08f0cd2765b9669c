import { Worker } from 'node:worker_threads'
import {
  LayerFault,
  type FoundPackage,
  type ImageLayer,
  type Inventory,
  type LayerReader,
} from '../../../domain/registry/scanning/inventory.ts'
import { LayerFeed } from './layer-feed.ts'
import { layerLimits, type LayerLimits } from './limits.ts'
import type { FromThread, Pull, ThreadWork, ToThread } from './messages.ts'

/** Reads each image in a thread of its own, whose heap and time are bounded. */
export class ThreadLayerReader implements LayerReader {
  readonly #limits: LayerLimits

  constructor(limits: LayerLimits = layerLimits) {
    this.#limits = limits
  }

  async read(layers: readonly ImageLayer[], signal: AbortSignal): Promise<Inventory> {
    signal.throwIfAborted()
    const reading = new Reading(layers, this.#limits)
    const stop = (): void => reading.fail(signal.reason)
    signal.addEventListener('abort', stop)
    try {
      return await reading.inventory
    } finally {
      signal.removeEventListener('abort', stop)
      await reading.close()
    }
  }
}

/** The reading of one image. */
class Reading {
  readonly inventory: Promise<Inventory>
  readonly #thread: Worker
  readonly #feed: LayerFeed
  readonly #timer: NodeJS.Timeout
  readonly #packages: FoundPackage[] = []
  readonly #done: (inventory: Inventory) => void
  /** Ends the reading with an error, unless it has ended. */
  readonly fail: (error: unknown) => void

  constructor(layers: readonly ImageLayer[], limits: LayerLimits) {
    const { promise, reject, resolve } = Promise.withResolvers<Inventory>()
    this.inventory = promise
    this.fail = reject
    this.#done = resolve
    this.#feed = new LayerFeed(layers)
    this.#timer = setTimeout(() => reject(tooSlow(limits)), limits.timeMs)
    this.#thread = startThread(layers, limits)
    this.#thread.on('message', (message: FromThread) => void this.#take(message))
    this.#thread.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory(limits) : error),
    )
    this.#thread.once('exit', () => reject(new Error('the thread that reads layers ended without a result')))
  }

  /** Ends the thread and the layer that is read. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.all([this.#thread.terminate(), this.#feed.close()])
  }

  async #take(message: FromThread): Promise<void> {
    switch (message.kind) {
      case 'pull':
        return this.#send(message)
      case 'packages':
        for (const found of message.packages) this.#packages.push(found)
        // Messages are taken without a pause, so the next one waits for its turn.
        setImmediate(() => this.#post({ kind: 'more' }))
        return
      case 'done': {
        const { os, unsupported } = message
        return this.#done({ ...(os !== undefined && { os }), packages: this.#packages, unsupported })
      }
      case 'fault':
        return this.fail(new LayerFault(message.fault, message.message))
      case 'failed':
        return this.fail(message.error)
    }
  }

  async #send(pull: Pull): Promise<void> {
    try {
      const bytes = await this.#feed.next(pull)
      this.#post({ kind: 'bytes', opening: pull.opening, bytes }, bytes)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Sends a message to the thread, and gives it the memory of the bytes. */
  #post(message: ToThread, bytes?: Uint8Array<ArrayBuffer>): void {
    this.#thread.postMessage(message, bytes === undefined ? [] : [bytes.buffer])
  }
}

function startThread(layers: readonly ImageLayer[], limits: LayerLimits): Worker {
  const workerData: ThreadWork = {
    layers: layers.map(({ digest, media_type }) => ({ digest, media_type })),
    limits,
  }
  // The ending is that of this file, because compiled code has another ending.
  const program = new URL(import.meta.url.replace(/[^/]*\.([^.]*)$/, 'layer-thread.$1'))
  return new Worker(program, {
    workerData,
    name: 'layers of an image',
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMib, maxYoungGenerationSizeMb: 32 },
  })
}

const tooSlow = ({ timeMs }: LayerLimits): LayerFault =>
  new LayerFault('limit', `the layers take more than ${timeMs / 1000} seconds to read`)

const tooMuchMemory = ({ heapMib }: LayerLimits): LayerFault =>
  new LayerFault('limit', `the layers take more than ${heapMib} MiB of memory to read`)
