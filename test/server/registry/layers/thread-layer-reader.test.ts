import { describe, expect, it } from 'vitest'
import type { ImageLayer } from '../../../../domain/registry/scanning/inventory.ts'
import { ThreadLayerReader } from '../../../../server/registry/layers/thread-layer-reader.ts'
import { mib, plain, watched } from './hostile-layers.ts'
import { inventoryInThread, layerOf } from './made-image.ts'
import { headerOf } from './tar-maker.ts'

describe('the reader of layers', () => {
  const stopped = new Error('stopped')

  it('ends a reading that is aborted, and the stream of its layer', async () => {
    let isCancelled = false
    const reading = Promise.withResolvers<void>()
    const endless: ImageLayer = {
      ...plain(),
      open: async () =>
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(headerOf({ name: 'x' })))
            reading.resolve()
          },
          cancel() {
            isCancelled = true
          },
        }),
    }
    const aborting = new AbortController()
    const ended = new ThreadLayerReader().read([endless], aborting.signal)
    await reading.promise
    aborting.abort(stopped)
    await expect(ended).rejects.toBe(stopped)
    expect(isCancelled).toBe(true)
    await expect(new ThreadLayerReader().read([endless], aborting.signal)).rejects.toBe(stopped)
  })

  it('throws the error of a blob store, which is no fault of the layer', async () => {
    const { signal } = new AbortController()
    const reader = new ThreadLayerReader()
    const layer = plain({ name: 'a', content: Buffer.alloc(mib) })
    const failing: ImageLayer = { ...layer, open: () => Promise.reject(stopped) }
    await expect(reader.read([layer, failing], signal)).rejects.toBe(stopped)
    const breaking: ImageLayer = {
      ...layer,
      open: async () =>
        new ReadableStream({
          pull() {
            throw stopped
          },
        }),
    }
    await expect(reader.read([breaking], signal)).rejects.toBe(stopped)
    const short: ImageLayer = { ...layer, size_bytes: layer.size_bytes + 1 }
    await expect(reader.read([{ ...short, open: layerOf(Buffer.alloc(0)).open }], signal)).rejects.toThrow(
      /^the blob store ended /,
    )
  })

  it('does not hold the event loop for many packages', async () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `Package: p${i}\nVersion: 1.${i}\nSource: s${i}\n\n`)
    const layer = plain({ name: 'var/lib/dpkg/status', content: names.join('') })
    const { pauseMs, result } = await watched(() => inventoryInThread([layer]))
    expect(result.packages).toHaveLength(60_000)
    expect(pauseMs).toBeLessThan(500)
  })
})
