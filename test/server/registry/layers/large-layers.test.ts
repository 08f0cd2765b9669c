import { setImmediate as turn } from 'node:timers/promises'
import { constants, createZstdCompress, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ImageLayer } from '../../../../domain/registry/scanning/inventory.ts'
import { base256, faultOf, madeLayer, mib, plain, watched } from './hostile-layers.ts'
import { layerOf } from './made-image.ts'
import { entryOf, headerOf, paxOf } from './tar-maker.ts'

describe('a layer that unpacks to too much', () => {
  it('is refused for its bytes, a thousand times as many as packed', async () => {
    const bomb = gzipSync(
      Buffer.concat([headerOf({ name: 'zeros', size: base256(2, 0, 0, 0, 0) }), Buffer.alloc(64 * mib)]),
    )
    expect(bomb.length).toBeLessThan(mib)
    const bombs = Array.from({ length: 5 }, () => layerOf(bomb))
    const { grownMib, pauseMs, result } = await watched(() => faultOf(bombs, { unpackedBytes: 60 * mib }))
    expect(result).toBe('limit the layers unpack to more than 60 MiB')
    expect(grownMib).toBeLessThan(256)
    expect(pauseMs).toBeLessThan(500)
  })

  it('is refused for the bytes of all layers together', async () => {
    const layer = plain({ name: 'x', content: Buffer.alloc(mib) })
    expect(await faultOf([layer, layer, layer], { unpackedBytes: 2 * mib })).toBe(
      'limit the layers unpack to more than 2 MiB',
    )
  })

  it('is refused for the entries of all layers together', async () => {
    const many = (count: number): ImageLayer =>
      madeLayer(function* () {
        for (let i = 0; i < count; i += 1000)
          yield Buffer.concat(Array.from({ length: 1000 }, (_, j) => headerOf({ name: `${i % 7}/${i + j}` })))
        yield Buffer.alloc(1024)
      })
    expect(await faultOf([many(10_000), many(10_000)], { entries: 15_000 })).toBe(
      'limit the layers have more than 15000 entries',
    )
    expect(await faultOf([many(1000)], { entries: 1500 })).toBe('none')
  })

  it('is refused for more than 500,000 folders in the names of entries, which take a bounded memory', async () => {
    const deep = Array.from({ length: 300 }, (_, i) => [
      paxOf({ path: `${i}/${'d/'.repeat(1900)}x` }),
      { name: 'x' },
    ]).flat()
    const { grownMib, result } = await watched(() => faultOf([plain(...deep)]))
    expect(result).toBe('limit the layers have more than 500000 entries')
    expect(grownMib).toBeLessThan(700)
  })

  it('is refused for the links in the names of its entries', async () => {
    const hops = Array.from({ length: 38 }, (_, i) => ({
      name: `l${i + 1}`,
      flag: '2',
      link: `${'./'.repeat(40)}l${i}`,
    }))
    const chain = [{ name: 'l0', flag: '5' }, ...hops]
    const entry = headerOf({ name: 'l38/x' })
    const layer = madeLayer(function* () {
      yield Buffer.concat(chain.map(entryOf))
      for (let i = 0; i < 100; i++) yield Buffer.concat(Array<Buffer>(1000).fill(entry))
    })
    expect(await faultOf([layer])).toBe('limit the paths and links of the layers take too many steps')
  })

  it('takes little time if whiteouts hide the same folder again and again', async () => {
    const files = Array.from({ length: 40_000 }, (_, i) => headerOf({ name: `a/b/${i}` }))
    const whiteouts = ['a/b/.wh..wh..opq', 'a/.wh..wh..opq', '.wh.a', '.wh..wh..opq'].map(name => headerOf({ name }))
    const layer = madeLayer(function* () {
      yield Buffer.concat(files)
      for (let i = 0; i < 100; i++) yield Buffer.concat(Array.from({ length: 100 }, () => whiteouts).flat())
      yield Buffer.alloc(1024)
    })
    const { result, seconds } = await watched(() => faultOf([layer]))
    expect(result).toBe('none')
    expect(seconds).toBeLessThan(60)
  })

  it('is refused for a window of zstd of 2 GiB', async () => {
    const stream = createZstdCompress({
      params: { [constants.ZSTD_c_windowLog]: 31, [constants.ZSTD_c_contentSizeFlag]: 0 },
    })
    const packed: Buffer[] = []
    stream.on('data', (piece: Buffer) => packed.push(piece))
    for (let i = 0; i < 4; i++) stream.write(Buffer.alloc(mib))
    stream.end()
    await new Promise(resolve => stream.once('end', resolve))
    const { grownMib, result } = await watched(() => faultOf([layerOf(Buffer.concat(packed))]))
    expect(result).toBe('limit a layer needs a window of zstd of more than 128 MiB')
    expect(grownMib).toBeLessThan(200)
  })

  it('is refused for its time', async () => {
    const endless = madeLayer(async function* () {
      yield headerOf({ name: 'x', size: base256(1, 0, 0, 0, 0) })
      for (;;) {
        await turn()
        yield Buffer.alloc(512)
      }
    })
    expect(await faultOf([endless], { timeMs: 1500 })).toBe('limit the layers take more than 1.5 seconds to read')
  })

  it('is refused for the memory of the thread, which ends without harm to the server', async () => {
    const deep = '['.repeat(mib - 2)
    const heap = { heapMib: 24 }
    const files = Array.from({ length: 4 }, (_, i) => ({ name: `a/node_modules/${i}/package.json`, content: deep }))
    const names = madeLayer(function* () {
      for (let i = 0; i < 400_000; i += 500)
        yield Buffer.concat(Array.from({ length: 500 }, (_, j) => headerOf({ name: `${i + j}${'n'.repeat(80)}` })))
    })
    expect(await faultOf([plain(...files), names], heap)).toBe(
      'limit the layers take more than 24 MiB of memory to read',
    )
  })
})
