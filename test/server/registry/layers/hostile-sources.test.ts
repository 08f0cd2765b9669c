import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { faultOf, mib, plain, watched } from './hostile-layers.ts'
import { inventoryInThread, inventoryOfLayers, layerOf, namesOf, ociLayer } from './made-image.ts'
import { entryOf, headerOf, paxOf, type MadeEntry } from './tar-maker.ts'
import { zipOf } from './zip-maker.ts'

describe('a hostile source of packages', () => {
  const inventory = (...entries: readonly MadeEntry[]) => inventoryOfLayers([plain(...entries)])

  // On a busy machine, the thread that reads the lines takes minutes.
  it('may be a status of dpkg of 20 MiB with six million lines', { timeout: 600_000 }, async () => {
    const status = Buffer.concat([Buffer.from('Package: a\nVersion: 1\n\n'), Buffer.alloc(20 * mib, 'x: y\n\n')])
    const layer = plain({ name: 'var/lib/dpkg/status', content: status })
    const { grownMib, pauseMs, result, seconds } = await watched(() => inventoryInThread([layer]))
    expect(namesOf(result)).toEqual(['a 1'])
    expect(seconds).toBeLessThan(60)
    expect(grownMib).toBeLessThan(700)
    expect(pauseMs).toBeLessThan(1000)
  })

  it('is refused for more than 200,000 packages', async () => {
    const status = Buffer.alloc(8 * mib, 'Package: a\nVersion: 1\n\n')
    expect(await faultOf([plain({ name: 'var/lib/dpkg/status', content: status })])).toBe(
      'limit the image has more than 200000 packages',
    )
  })

  it('is reported if it is sparse or too large', async () => {
    const sparse = {
      name: 'var/lib/dpkg/status',
      flag: 'S',
      magic: 'ustar  \0',
      content: 'x'.repeat(512),
      change: (header: Buffer) => void header.writeUInt8(1, 482),
    }
    const more = Buffer.alloc(512)
    const layer = Buffer.concat([
      headerOf(sparse),
      more,
      Buffer.alloc(512),
      entryOf(
        paxOf({
          'GNU.sparse.major': '1',
          'GNU.sparse.minor': '0',
          'GNU.sparse.name': 'lib/apk/db/installed',
          'GNU.sparse.realsize': '9000000',
        }),
      ),
      entryOf({ name: 'lib/apk/db/GNUSparseFile.0/installed', content: '1\n0\n512\n' }),
      entryOf({ name: 'a/node_modules/b/package.json', content: Buffer.alloc(mib + 1, ' ') }),
      entryOf({ name: 'a/node_modules/c/package.json', content: '{"name":"c","version":"1"}' }),
      Buffer.alloc(1024),
    ])
    const { packages, unsupported } = await inventoryOfLayers([layerOf(layer, ociLayer)])
    expect(packages.map(({ name }) => name)).toEqual(['c'])
    expect(unsupported).toEqual([
      'apk file that is sparse or too large: lib/apk/db/installed',
      'dpkg file that is sparse or too large: var/lib/dpkg/status',
      'npm file that is sparse or too large: a/node_modules/b/package.json',
    ])
  })

  it('may be JSON of any depth', async () => {
    const deep = `{"name":"a","version":"1","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    expect(namesOf(await inventory({ name: 'a/node_modules/a/package.json', content: deep }))).toEqual(['a 1'])
    const { unsupported } = await inventory({ name: 'a/node_modules/a/package.json', content: '{"a":'.repeat(200_000) })
    expect(unsupported).toEqual(['package.json that is not JSON: a/node_modules/a/package.json'])
  })

  it('is bounded as a jar that unpacks to too much', async () => {
    const zeros = deflateRawSync(Buffer.alloc(60 * mib))
    const inner = { content: zeros, method: 8, size: 60 * mib }
    const bomb = zipOf(...Array.from({ length: 5 }, (_, i) => ({ name: `${i}.jar`, ...inner })))
    const entries = [{ name: 'a.jar', content: bomb }]
    expect(await faultOf([plain(...entries)], { unpackedBytes: 150 * mib })).toBe(
      'limit the layers unpack to more than 150 MiB',
    )
  })

  it('is reported as a jar that lies about its sizes, or is none', async () => {
    const lies = {
      name: 'META-INF/maven/a/b/pom.properties',
      content: deflateRawSync(Buffer.alloc(mib, 'x')),
      method: 8,
      size: 10,
    }
    const { packages, unsupported } = await inventory(
      { name: 'a.jar', content: zipOf(lies) },
      { name: 'b.jar', content: 'no zip' },
      { name: 'c.jar', content: zipOf({ name: '../c', content: Buffer.from('c') }) },
      { name: 'd.jar', content: zipOf({ name: 'd', content: Buffer.from('d') }).subarray(0, -3) },
    )
    expect(packages).toEqual([])
    expect(unsupported).toEqual(['jar that cannot be unpacked: a.jar and 3 more'])
  })
})
