import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ImageLayer } from '../../../../domain/registry/scanning/inventory.ts'
import { base256, faultOf, madeLayer, plain } from './hostile-layers.ts'
import { inventoryOfLayers, layerOf, ociLayer } from './made-image.ts'
import { entryOf, gnuLong, headerOf, paxOf, tarOf } from './tar-maker.ts'

const longName = 'n'.repeat(300)

describe('a layer that no container engine unpacks', () => {
  it.each<{ title: string; layer: ImageLayer; fault: string }>([
    {
      title: 'an entry out of the root',
      layer: plain({ name: '../x' }),
      fault: 'the name of an entry leads out of the root: ../x',
    },
    {
      title: 'an entry out of the root in the middle',
      layer: plain({ name: 'a/../../x' }),
      fault: 'the name of an entry leads out of the root',
    },
    {
      title: 'a hard link out of the root',
      layer: plain({ name: 'x', flag: '1', link: '../../etc/passwd' }),
      fault: 'the name of an entry leads out of the root',
    },
    {
      title: 'a hard link to a file of the host',
      layer: plain({ name: 'x', flag: '1', link: '/etc/passwd' }),
      fault: 'a hard link leads to no file: /etc/passwd',
    },
    {
      title: 'a hard link to a folder',
      layer: plain({ name: 'd', flag: '5' }, { name: 'x', flag: '1', link: 'd' }),
      fault: 'a hard link leads to no file: d',
    },
    {
      title: 'links in a circle before an entry',
      layer: plain({ name: 'a', flag: '2', link: 'b' }, { name: 'b', flag: '2', link: 'a' }, { name: 'a/x' }),
      fault: 'links lead nowhere: a',
    },
    { title: 'a whiteout of no name', layer: plain({ name: 'a/.wh.' }), fault: 'a whiteout names no entry: .wh.' },
    { title: 'a whiteout of its folder', layer: plain({ name: 'a/.wh..' }), fault: 'a whiteout names no entry: .wh..' },
    {
      title: 'a whiteout of the folder above',
      layer: plain({ name: 'a/.wh...' }),
      fault: 'a whiteout names no entry: .wh...',
    },
    {
      title: 'a name of 64 KiB by PAX',
      layer: plain(paxOf({ path: 'n/'.repeat(32_768) }), { name: 'x' }),
      fault: 'the name of an entry has more than 4096 bytes',
    },
    {
      title: 'a name of 64 KiB by GNU',
      layer: plain(gnuLong('n'.repeat(65_536)), { name: 'x' }),
      fault: 'the name of an entry has more than 4096 bytes',
    },
    {
      title: 'a name of 300 bytes in a folder',
      layer: plain(paxOf({ path: `a/${longName}` }), { name: 'x' }),
      fault: 'more than 255 in a folder',
    },
    {
      title: 'a link of 64 KiB',
      layer: plain(gnuLong('n/'.repeat(32_768), 'K'), { name: 'x', flag: '2' }),
      fault: 'a link has more than 4096 bytes',
    },
    {
      title: 'a NUL in a name of PAX',
      layer: plain(paxOf({ path: 'a\0b' }), { name: 'x' }),
      fault: 'an extended header of the tar archive is malformed',
    },
    {
      title: 'an extended header of 100 MB',
      layer: madeLayer(function* () {
        yield headerOf({ name: 'p', flag: 'x', size: 100_000_000 })
        for (let i = 0; i < 1600; i++) yield Buffer.alloc(65_536, '1')
      }),
      fault: 'an extended header of the tar archive has more than 1048576 bytes',
    },
    {
      title: 'an extended header of digits alone',
      layer: plain({ name: 'p', flag: 'x', content: '1'.repeat(1_000_000) }),
      fault: 'an extended header of the tar archive is malformed',
    },
    {
      title: 'an extended header with records of one byte',
      layer: plain({ name: 'p', flag: 'x', content: '1 '.repeat(500_000) }),
      fault: 'an extended header of the tar archive is malformed',
    },
    {
      title: 'an extended header with a record beyond its end',
      layer: plain({ name: 'p', flag: 'x', content: '99 path=x\n' }),
      fault: 'an extended header of the tar archive is malformed',
    },
    {
      title: 'a size of PAX that is negative',
      layer: plain(paxOf({ size: '-1' }), { name: 'x' }),
      fault: 'an extended header of the tar archive is malformed',
    },
    {
      title: 'a negative size',
      layer: plain({ name: 'x', size: Buffer.alloc(12, 0xff) }),
      fault: 'a number in a header of the tar archive is negative',
    },
    {
      title: 'a size of base 256 beyond all numbers',
      layer: plain({ name: 'x', size: base256(0x7f, 255, 255, 255, 255, 255, 255, 255) }),
      fault: 'a number in a header of the tar archive is negative, too large',
    },
    {
      title: 'a size that is no number',
      layer: plain({ name: 'x', size: Buffer.from('0000000x8\0\0\0') }),
      fault: 'a number in a header of the tar archive is negative, too large, or no number',
    },
    {
      title: 'a size of base 256 beyond the layer',
      layer: plain({ name: 'x', size: base256(1, 0, 0, 0, 0) }),
      fault: 'the tar archive is cut off',
    },
    {
      title: 'a wrong checksum',
      layer: layerOf(headerOf({ name: 'x' }).fill('y', 0, 1), ociLayer),
      fault: 'a header of the tar archive has a wrong checksum',
    },
    {
      title: 'an empty block between entries',
      layer: layerOf(Buffer.concat([entryOf({ name: 'a' }), Buffer.alloc(512), entryOf({ name: 'b' })]), ociLayer),
      fault: 'an empty block stands inside of the tar archive',
    },
    { title: 'a text', layer: layerOf(Buffer.from('no layer'), ociLayer), fault: 'the tar archive is cut off' },
    {
      title: 'a compression by xz',
      layer: layerOf(Buffer.from('\xfd7zXZ\0 and more', 'latin1')),
      fault: 'a layer is compressed by xz, which is not read',
    },
    {
      title: 'a compression by bzip2',
      layer: layerOf(Buffer.from('BZh91AY')),
      fault: 'a layer is compressed by bzip2, which is not read',
    },
  ])('is refused for $title', async ({ fault, layer }) => {
    const found = await faultOf([layer], {}, inventoryOfLayers)
    expect(found).toMatch(/^unreadable /)
    expect(found).toContain(fault)
  })

  const tar = tarOf({ name: 'a', content: 'x'.repeat(5000) }, paxOf({ path: longName.slice(0, 200) }), {
    name: 'x',
    content: 'y'.repeat(700),
  })
  it('is refused wherever it is cut off', async () => {
    const inside = (bytes: Buffer, step: number, end: number): Buffer[] =>
      Array.from({ length: Math.floor((end - 1) / step) }, (_, i) => bytes.subarray(0, (i + 1) * step))
    const [gzip, zstd] = [gzipSync(tar), zstdCompressSync(tar)]
    const toTheEnd = (bytes: Buffer): Buffer[] => [
      ...inside(bytes, 9, bytes.length),
      ...Array.from({ length: 12 }, (_, i) => bytes.subarray(0, bytes.length - 1 - i)),
    ]
    const cuts = [
      // An archive may end after an entry, without the blocks at its end.
      ...[100, 700, 5000, 5700, 6200, 7000, 7800].map(end => tar.subarray(0, end)),
      // The end of the packed bytes stands behind that of the archive.
      ...toTheEnd(gzip),
      ...toTheEnd(zstd),
      ...toTheEnd(Buffer.concat([gzip, gzipSync(Buffer.alloc(10_000))])).slice(-12),
    ]
    const faults = new Set<string>()
    for (const bytes of cuts) faults.add(await faultOf([layerOf(bytes, ociLayer)], {}, inventoryOfLayers))
    expect([...faults].filter(fault => !fault.startsWith('unreadable '))).toEqual([])
    expect(cuts.length).toBeGreaterThan(20)
    for (const bytes of [tar, gzip, zstd, Buffer.concat([tar, Buffer.alloc(5000, 'x')])])
      expect(await faultOf([layerOf(bytes, ociLayer)], {}, inventoryOfLayers)).toBe('none')
  })

  it('is refused for packed bytes behind the archive that unpack to too much', async () => {
    const packed = Buffer.concat([gzipSync(tar), gzipSync(Buffer.alloc(3 * 1024 ** 2))])
    expect(await faultOf([layerOf(packed)], { unpackedBytes: 2 * 1024 ** 2 }, inventoryOfLayers)).toBe(
      'limit the layers unpack to more than 2 MiB',
    )
  })

  it('is refused for bytes of zstd that are changed', async () => {
    const packed = zstdCompressSync(tar, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    const faults: string[] = []
    for (let i = 5; i < packed.length; i += 5) {
      const changed = Buffer.from(packed)
      changed[i] = (changed[i] ?? 0) ^ 0x55
      faults.push(await faultOf([layerOf(changed)], {}, inventoryOfLayers))
    }
    expect(faults.filter(fault => !/^(?:unreadable|limit) /.test(fault))).toEqual([])
  })
})
