import { describe, expect, it } from 'vitest'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { inventoryOfEntries, inventoryOfLayers, layerOf, namesOf, ociLayer } from './made-image.ts'
import { gnuLong, paxOf, tarOf, type MadeEntry } from './tar-maker.ts'

/** Returns the `package.json` of a package at a path. */
const at = (path: string, name: string): MadeEntry => ({
  name: path,
  content: JSON.stringify({ name, version: '1.0.0' }),
})
/** Returns the `package.json` of a package in a folder of modules. */
const module = (folder: string, name: string): MadeEntry => at(`${folder}/node_modules/${name}/package.json`, name)
const folder = (name: string): MadeEntry => ({ name, flag: '5', mode: 0o755 })
const empty = (name: string): MadeEntry => ({ name })
const linkTo = (name: string, link: string): MadeEntry => ({ name, flag: '2', link })
const hardLink = (name: string, link: string): MadeEntry => ({ name, flag: '1', link })
const names = async (...layers: readonly (readonly MadeEntry[])[]): Promise<readonly string[]> =>
  namesOf(await inventoryOfEntries(...layers)).map(text => text.replace(' 1.0.0', ''))

const low = [module('app', 'a'), module('app', 'b'), module('lib', 'c')]

interface Image {
  readonly title: string
  readonly layers: readonly (readonly MadeEntry[])[]
  readonly found: readonly string[]
}

const images: readonly Image[] = [
  { title: 'layers that add to each other', layers: [low, [module('app', 'd')]], found: ['a', 'b', 'c', 'd'] },
  {
    title: 'a file that a higher layer replaces',
    layers: [low, [at('app/node_modules/a/package.json', 'newer')]],
    found: ['b', 'c', 'newer'],
  },
  {
    title: 'a file that the same layer has twice, the later one counts',
    layers: [[module('app', 'a'), at('app/node_modules/a/package.json', 'later')]],
    found: ['later'],
  },
  { title: 'a file in place of a folder', layers: [low, [empty('app/node_modules')]], found: ['c'] },
  {
    title: 'a device in place of a file',
    layers: [low, [{ name: 'app/node_modules/a/package.json', flag: '3' }]],
    found: ['b', 'c'],
  },
  { title: 'a pipe in place of a folder', layers: [low, [{ name: 'app', flag: '6' }]], found: ['c'] },
  {
    title: 'a folder again, which keeps its content',
    layers: [low, [folder('app/'), folder('app')]],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a folder in place of a link, which has nothing of its target',
    layers: [
      [...low, linkTo('link', 'app')],
      [folder('link'), module('link', 'd')],
    ],
    found: ['a', 'b', 'c', 'd'],
  },

  { title: 'a whiteout of a file', layers: [low, [empty('app/node_modules/a/.wh.package.json')]], found: ['b', 'c'] },
  { title: 'a whiteout of a folder', layers: [low, [empty('app/node_modules/.wh.a')]], found: ['b', 'c'] },
  { title: 'a whiteout of a folder of folders', layers: [low, [empty('.wh.app')]], found: ['c'] },
  {
    title: 'a whiteout with dots and a slash in its path',
    layers: [low, [empty('./.wh.app'), empty('/.wh.lib')]],
    found: [],
  },
  {
    title: 'a whiteout with two dots in its path',
    layers: [low, [empty('x/../app/./node_modules//.wh.a')]],
    found: ['b', 'c'],
  },
  {
    title: 'a whiteout of nothing',
    layers: [low, [empty('none/.wh.a'), empty('app/.wh.none')]],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a whiteout of a link, which leaves its target',
    layers: [[...low, linkTo('link', 'app')], [empty('.wh.link')]],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a whiteout behind a link',
    layers: [[...low, linkTo('link', 'app/node_modules')], [empty('link/.wh.a')]],
    found: ['b', 'c'],
  },
  {
    title: 'a whiteout of one name of a file with two, which leaves the other one',
    layers: [
      [...low, hardLink('app/node_modules/z/package.json', 'app/node_modules/a/package.json')],
      [empty('app/node_modules/.wh.a')],
    ],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a whiteout whose name is long, by GNU',
    layers: [
      [module('app', `${'a'.repeat(120)}`)],
      [gnuLong(`app/node_modules/.wh.${'a'.repeat(120)}`), empty('short')],
    ],
    found: [],
  },
  {
    title: 'a whiteout whose name is long, by PAX',
    layers: [
      [paxOf({ path: `app/node_modules/${'a'.repeat(120)}/package.json` }), at('short', 'long')],
      [paxOf({ path: `app/node_modules/.wh.${'a'.repeat(120)}` }), empty('short')],
    ],
    found: [],
  },
  {
    title: 'a whiteout before what the same layer adds',
    layers: [low, [empty('app/node_modules/.wh.a'), module('app', 'a')]],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a whiteout after what the same layer adds',
    layers: [low, [at('app/node_modules/a/package.json', 'newer'), empty('app/node_modules/.wh.a'), empty('.wh.app')]],
    found: ['c', 'newer'],
  },
  {
    title: 'an opaque whiteout',
    layers: [low, [empty('app/.wh..wh..opq')]],
    found: ['c'],
  },
  {
    title: 'an opaque whiteout of the root',
    layers: [low, [empty('.wh..wh..opq'), module('app', 'd')]],
    found: ['d'],
  },
  {
    title: 'an opaque whiteout after what the same layer adds',
    layers: [
      low,
      [module('app', 'd'), empty('app/.wh..wh..opq'), empty('app/node_modules/.wh..wh..opq'), module('app', 'e')],
    ],
    found: ['c', 'd', 'e'],
  },
  {
    title: 'an opaque whiteout between layers',
    layers: [low, [empty('app/node_modules/.wh..wh..opq'), module('app', 'd')], [module('app', 'e')]],
    found: ['c', 'd', 'e'],
  },
  {
    title: 'an opaque whiteout of nothing, and of a file',
    layers: [low, [empty('none/.wh..wh..opq')]],
    found: ['a', 'b', 'c'],
  },
  { title: 'data of AUFS', layers: [low, [empty('.wh..wh.plnk'), empty('app/.wh..wh.aufs')]], found: ['a', 'b', 'c'] },
  { title: 'a whiteout in the lowest layer', layers: [[empty('.wh.app'), ...low]], found: ['a', 'b', 'c'] },
  {
    title: 'a file that is hidden and added again',
    layers: [low, [empty('.wh.app')], [module('app', 'a')]],
    found: ['a', 'c'],
  },

  {
    title: 'a hard link to a file that does not count by itself',
    layers: [[at('store/1', 'a'), hardLink('app/node_modules/a/package.json', 'store/1')]],
    found: ['a'],
  },
  {
    title: 'a hard link to a file of a lower layer, which a higher one replaces',
    layers: [
      [at('store/1', 'a')],
      [hardLink('app/node_modules/a/package.json', 'store/1')],
      [at('store/1', 'b')],
      [empty('.wh.store')],
    ],
    found: ['a'],
  },
  {
    title: 'a hard link by a path with a slash, and through a link',
    layers: [[at('store/1', 'a'), linkTo('s', 'store'), hardLink('app/node_modules/a/package.json', '/s/1')]],
    found: ['a'],
  },
  {
    title: 'a folder behind a link',
    layers: [
      [linkTo('app', 'opt/app'), module('app', 'a')],
      [empty('opt/app/node_modules/.wh.a'), module('app', 'b')],
    ],
    found: ['b'],
  },
  {
    title: 'a link out of the root, which stays inside',
    layers: [[linkTo('app', '../../../../opt'), module('app', 'a')], [empty('.wh.opt')]],
    found: [],
  },
  {
    title: 'a link to the root of the host, which is the root of the image',
    layers: [[linkTo('app', '/'), module('app', 'a')], [empty('.wh.node_modules')]],
    found: [],
  },
  {
    title: 'a link to itself',
    layers: [[...low, linkTo('loop', 'loop'), linkTo('x', 'y'), linkTo('y', 'x')]],
    found: ['a', 'b', 'c'],
  },
  {
    title: 'a link to a file, which counts under its own name',
    layers: [[...low, linkTo('app/node_modules/z/package.json', '../a/package.json')]],
    found: ['a', 'b', 'c'],
  },
]

describe('the layers of an image', () => {
  it.each(images)('give what is in $title', async ({ found, layers }) => {
    expect(await names(...layers)).toEqual(found)
  })

  const entries = [
    { name: 'etc/os-release', content: 'ID=alpine\nVERSION_ID=3.20.3\n' },
    module('app', 'a'),
    module('app', 'b'),
  ]
  const tar = tarOf(...entries)
  const cut = tar.length / 2
  const frames = Buffer.concat([
    Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]),
    ...Array.from({ length: Math.ceil(tar.length / 100) }, (_, i) =>
      zstdCompressSync(tar.subarray(i * 100, i * 100 + 100)),
    ),
    Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9]),
  ])
  it.each([
    { type: ociLayer, bytes: tar },
    { type: `${ociLayer}+gzip`, bytes: gzipSync(tar) },
    {
      type: `${ociLayer}+gzip`,
      bytes: Buffer.concat([gzipSync(tar.subarray(0, cut)), gzipSync(tar.subarray(cut))]),
      of: 'two members',
    },
    { type: `${ociLayer}+zstd`, bytes: zstdCompressSync(tar) },
    { type: `${ociLayer}+zstd`, bytes: frames, of: 'many frames and frames to be skipped' },
    { type: `${ociLayer}+gzip`, bytes: zstdCompressSync(tar), of: 'another compression than the type says' },
    { type: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip', bytes: gzipSync(tar) },
    { type: 'application/vnd.docker.image.rootfs.diff.tar.gzip', bytes: gzipSync(tar) },
    { type: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', bytes: gzipSync(tar) },
    { type: 'application/vnd.docker.image.rootfs.diff.tar', bytes: tar },
  ])('are read in the type $type $of', async ({ bytes, type }) => {
    const inventories = await Promise.all(
      [1, 7, 100_000].map(piece => inventoryOfLayers([layerOf(bytes, type, piece)])),
    )
    for (const inventory of inventories) {
      expect(inventory.os).toEqual({ id: 'alpine', version: '3.20.3' })
      expect(namesOf(inventory)).toEqual(['a 1.0.0', 'b 1.0.0'])
      expect(inventory.unsupported).toEqual([])
    }
  })

  it('of another type are reported as not read', async () => {
    const [encrypted, known] = [layerOf(tar, `${ociLayer}+gzip+encrypted`), layerOf(tar, ociLayer)]
    const inventory = await inventoryOfLayers([known, encrypted])
    expect(namesOf(inventory)).toEqual(['a 1.0.0', 'b 1.0.0'])
    expect(inventory.unsupported).toEqual([`layer of the type ${ociLayer}+gzip+encrypted: ${encrypted.digest}`])
  })

  it('name the layer that has the file of a package', async () => {
    const [first, second] = [layerOf(tarOf(module('app', 'a')), ociLayer), layerOf(tarOf(module('app', 'b')), ociLayer)]
    const { packages } = await inventoryOfLayers([first, second])
    expect(packages.map(({ layer_digest, path }) => [path, layer_digest])).toEqual([
      ['app/node_modules/a/package.json', first.digest],
      ['app/node_modules/b/package.json', second.digest],
    ])
  })

  it.each([
    { title: 'a link to the usual place', link: '../usr/lib/os-release', target: 'usr/lib/os-release' },
    { title: 'a link to the usual place from the root', link: '/usr/lib/os-release', target: 'usr/lib/os-release' },
    { title: 'a link to another place', link: '/opt/release', target: 'opt/release' },
    { title: 'a link out of the root', link: '../../../../usr/lib/os-release', target: 'usr/lib/os-release' },
  ])('name the operating system behind $title', async ({ link, target }) => {
    const content = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\nVERSION_ID="12"\n'
    const { os } = await inventoryOfEntries([linkTo('etc/os-release', link)], [{ name: target, content }])
    expect(os).toEqual({ id: 'debian', version: '12' })
  })

  it('name no operating system behind links in a circle', async () => {
    const { os } = await inventoryOfEntries([
      linkTo('etc/os-release', '/etc/os-release'),
      linkTo('usr/lib', '../usr/lib'),
    ])
    expect(os).toBeUndefined()
  })

  it('of an image without a layer give nothing', async () => {
    expect(await inventoryOfLayers([])).toEqual({ packages: [], unsupported: [] })
    expect(await inventoryOfLayers([layerOf(Buffer.alloc(0), ociLayer), layerOf(tarOf(), ociLayer)])).toEqual({
      packages: [],
      unsupported: [],
    })
  })
})
