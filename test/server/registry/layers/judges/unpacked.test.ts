import { createHash } from 'node:crypto'
import { mkdir, mkdtempDisposable, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TarReader, type TarEntry } from '../../../../../server/registry/layers/tar/tar-reader.ts'
import { seeded } from '../../../../areas/random.ts'
import { run } from '../../../programs.ts'
import { ociLayer } from '../made-image.ts'
import { lacks } from './lacks.ts'
import { randomImage } from './random-layers.ts'

const folder = (): ReturnType<typeof mkdtempDisposable> => mkdtempDisposable(join(tmpdir(), 'ninefold-layers-'))

/** Writes an OCI layout with an image of layers, which has the tag `made`. */
async function writeLayout(path: string, layers: readonly Buffer[]): Promise<void> {
  await mkdir(join(path, 'blobs/sha256'), { recursive: true })
  const blob = async (bytes: Buffer, mediaType: string): Promise<object> => {
    const hex = createHash('sha256').update(bytes).digest('hex')
    await writeFile(join(path, 'blobs/sha256', hex), bytes)
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
  }
  const json = (value: object, type: string): Promise<object> =>
    blob(Buffer.from(JSON.stringify(value)), `application/vnd.oci.image.${type}.v1+json`)
  const blobs = await Promise.all(layers.map(layer => blob(layer, ociLayer)))
  const rootfs = { type: 'layers', diff_ids: blobs.map(layer => Reflect.get(layer, 'digest')) }
  const config = await json({ architecture: 'amd64', os: 'linux', config: {}, rootfs }, 'config')
  const manifest = await json({ schemaVersion: 2, config, layers: blobs }, 'manifest')
  const annotations = { 'org.opencontainers.image.ref.name': 'made' }
  await writeFile(join(path, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] }
  await writeFile(join(path, 'index.json'), JSON.stringify(index))
}

/** Returns a line for each file and each link of a folder, in order. */
async function filesOf(root: string): Promise<readonly string[]> {
  const lines: string[] = []
  const names = await readdir(root, { withFileTypes: true })
  for (const entry of names) {
    const { name } = entry
    const path = join(root, name)
    if (entry.isDirectory()) lines.push(...(await filesOf(path)).map(line => `${name}/${line}`))
    else
      lines.push(
        `${name}${entry.isSymbolicLink() ? ` -> ${await readlink(path)}` : ` ${await readFile(path, 'utf8')}`}`,
      )
  }
  return lines.sort()
}

describe('the files of an image', () => {
  // On a busy machine, each of the 60 starts of umoci takes seconds.
  it.skipIf(lacks('with umoci', 'umoci'))(
    'are those that umoci unpacks, for random layers',
    { timeout: 600_000 },
    async () => {
      let judged = 0
      for (let seed = 1; seed <= 60; seed++) {
        await using made = await folder()
        const image = randomImage(seeded(seed))
        await writeLayout(join(made.path, 'image'), image.layers)
        const bundle = join(made.path, 'bundle')
        const args = ['unpack', '--rootless', '--image', `${join(made.path, 'image')}:made`, bundle]
        const { status } = await run('umoci', args)
        // An image that cannot be unpacked judges nothing, such as one with links in a circle.
        if (status !== 0) continue
        judged++
        expect({ seed, files: await filesOf(join(bundle, 'rootfs')) }).toEqual({ seed, files: image.tree })
      }
      expect(judged).toBeGreaterThan(30)
    },
  )
})

describe('the entries of an archive', () => {
  const formats = ['v7', 'oldgnu', 'gnu', 'ustar', 'posix']
  it.skipIf(lacks('with GNU tar', 'tar')).each(formats)(
    'are those that GNU tar writes in the format %s',
    async format => {
      await using made = await folder()
      const long = `${'d'.repeat(60)}/${'e'.repeat(60)}`
      const isOld = format === 'v7'
      await mkdir(join(made.path, long), { recursive: true })
      await writeFile(join(made.path, 'file'), 'x'.repeat(1000))
      await writeFile(join(made.path, 'tool'), 'y', { mode: 0o755 })
      await writeFile(join(made.path, 'empty'), '')
      if (!isOld) await writeFile(join(made.path, long, `${'f'.repeat(60)}`), 'z'.repeat(513))
      await run('sh', [
        '-c',
        'cd "$0" && ln file hard && ln -s file soft && truncate -s 9M sparse && echo end >>sparse',
        made.path,
      ])
      const names = (await readdir(made.path)).filter(name => !isOld || name !== 'd'.repeat(60)).sort()
      const sparse = isOld || format === 'ustar' ? [] : ['--sparse']
      const { errors, output } = await run('tar', [
        '-C',
        made.path,
        '-cf',
        '-',
        `--format=${format}`,
        ...sparse,
        ...names,
      ])
      expect(errors).toBe('')
      const listed = (await run('tar', ['-tf', '-'], output)).output.toString('utf8').trim().split('\n')

      const entries: TarEntry[] = []
      const contents = new Map<string, number>()
      const reader = new TarReader(entry => {
        entries.push(entry)
        return {
          write: bytes => Boolean(contents.set(entry.name, (contents.get(entry.name) ?? 0) + bytes.length)),
          end: () => {},
        }
      })
      for (let i = 0; i < output.length; i += 1000) reader.push(output.subarray(i, i + 1000))
      reader.end()
      expect(entries.map(({ name }) => name)).toEqual(listed)
      const of = (name: string): TarEntry | undefined => entries.find(entry => entry.name === name)
      expect(of('hard')).toMatchObject({ kind: 'hard link', link: 'file' })
      expect(of('soft')).toMatchObject({ kind: 'symbolic link', link: 'file' })
      expect(of('tool')).toMatchObject({ kind: 'file', mode: 0o755 })
      expect(of('sparse')).toMatchObject({ kind: 'file', isSparse: sparse.length > 0 })
      expect(contents.get('file')).toBe(1000)
      if (!isOld) {
        expect(of(`${long}/`)).toMatchObject({ kind: 'folder' })
        expect(contents.get(`${long}/${'f'.repeat(60)}`)).toBe(513)
      }
    },
  )
})
