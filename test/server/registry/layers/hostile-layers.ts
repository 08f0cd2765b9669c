import { setImmediate as turn } from 'node:timers/promises'
import { LayerFault, type ImageLayer } from '../../../../domain/registry/scanning/inventory.ts'
import { layerLimits, type LayerLimits } from '../../../../server/registry/layers/limits.ts'
import { processCpuSeconds, threadCpuMs } from '../../../cpu-time.ts'
import { inventoryInThread, layerOf, ociLayer } from './made-image.ts'
import { tarOf, type MadeEntry } from './tar-maker.ts'

export const mib = 1024 ** 2

/** Returns a layer that is an archive without compression. */
export const plain = (...entries: readonly MadeEntry[]): ImageLayer => layerOf(tarOf(...entries), ociLayer)

/** Returns a layer whose bytes are made while they are read. */
export const madeLayer = (make: () => Iterable<Buffer> | AsyncIterable<Buffer>): ImageLayer => ({
  digest: `sha256:${'0'.repeat(64)}`,
  media_type: ociLayer,
  size_bytes: 0,
  open: async () => streamOf(make()),
})

function streamOf(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(Uint8Array.from(value))
    },
  })
}

/** Returns the fault of an image: `limit the layers …`; the image is read in a thread, unless `read` says otherwise. */
export async function faultOf(
  layers: readonly ImageLayer[],
  limits: Partial<LayerLimits> = {},
  read = inventoryInThread,
): Promise<string> {
  try {
    await read(layers, { ...layerLimits, ...limits })
    return 'none'
  } catch (error) {
    return error instanceof LayerFault ? `${error.kind} ${error.message}` : String(error)
  }
}

/** The result of work, and its cost. */
export interface Watched<T> {
  readonly result: T
  /** The growth of the memory of the process, at most. */
  readonly grownMib: number
  /** The CPU time of the turn of the event loop with the most CPU time. */
  readonly pauseMs: number
  /** The CPU time of the process, with all of its threads. */
  readonly seconds: number
}

/** Runs work, and watches the process. */
export async function watched<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const [before, start] = [process.memoryUsage.rss(), processCpuSeconds()]
  const watch = { peak: before, pauseMs: 0, last: threadCpuMs(), isDone: false }
  const watching = (async () => {
    while (!watch.isDone) {
      await turn()
      const now = threadCpuMs()
      watch.pauseMs = Math.max(watch.pauseMs, now - watch.last)
      watch.last = now
      watch.peak = Math.max(watch.peak, process.memoryUsage.rss())
    }
  })()
  const result = await work().finally(() => {
    watch.isDone = true
  })
  await watching
  const seconds = processCpuSeconds() - start
  return { result, grownMib: (watch.peak - before) / mib, pauseMs: watch.pauseMs, seconds }
}

/** Returns the 12 bytes of a size in base 256. */
export const base256 = (...bytes: readonly number[]): Buffer =>
  Buffer.from([0x80, ...Array<number>(11 - bytes.length).fill(0), ...bytes])
