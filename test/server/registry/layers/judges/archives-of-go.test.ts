import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LayerFault } from '../../../../../domain/registry/scanning/inventory.ts'
import { TarReader, type TarEntry } from '../../../../../server/registry/layers/tar/tar-reader.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { run } from '../../../programs.ts'
import { lacks } from './lacks.ts'
import { gnuLong, headerOf, paxOf, tarOf, type MadeEntry } from '../tar-maker.ts'

/** The kinds by the flags that Go tells. */
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '5': 'folder',
  '7': 'file',
}

/** Returns the entries of an archive, in the form in which the program of Go lists them. */
function listed(archive: Buffer): unknown {
  const found: unknown[] = []
  const text = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('base64')
  const reader = new TarReader(({ kind, link, name, size }) => {
    found.push([kind, text(name), text(link), size])
    return undefined
  })
  try {
    reader.push(archive)
    reader.end()
    return found
  } catch (error) {
    if (error instanceof LayerFault) return 'fault'
    throw error
  }
}

const fromGo = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.map(([flag, ...rest]: readonly unknown[]) => [kinds[String(flag)] ?? 'other', ...rest])
    : list

const names = ['a', 'a/', './b', '/c', '../d', 'e\u0301', 'f/../g', 'h'.repeat(100)] as const
const flags = ['0', '0', '0', '1', '2', '3', '5', '6', '7', '\0', '\0'] as const
const magics = ['ustar\u000000', 'ustar\u000000', 'ustar  \0', '', 'ustar\0  '] as const

function randomEntry(random: Random): readonly MadeEntry[] {
  const content = 'x'.repeat(random.oneOf([0, 0, 1, 511, 512, 513, 2000]))
  const flag = random.oneOf(flags)
  // Links, devices and folders have no content, but may name a size.
  const isFile = ['0', '7', '\0'].includes(flag)
  const named = isFile ? { content } : { size: content.length }
  const entry = {
    name: random.oneOf(names),
    flag,
    link: random.oneOf(['', 'x', 'y'.repeat(100)]),
    magic: random.oneOf(magics),
    ...named,
  }
  const before = [
    paxOf({ path: `pax/${random.below(100)}`, mtime: '1.5' }),
    paxOf({ linkpath: 'pax-link', path: '' }),
    paxOf({ path: 'for-all', size: '3' }, 'g'),
    ...(isFile ? [paxOf({ size: String(content.length) })] : [paxOf({ size: '700' })]),
    gnuLong(`long/${'l'.repeat(random.oneOf([1, 150, 600]))}`),
    gnuLong('long-link', 'K'),
    {
      name: 'p',
      flag: 'x',
      content: random.oneOf(['', '6 a=b\n', '5 a=\n7 b=c\n', '3 \n', '99 a=b\n', '6 ab=\n', '06 a=b\n']),
    },
  ]
  return [...Array.from({ length: random.oneOf([0, 0, 1, 1, 2]) }, () => random.oneOf(before)), entry]
}

function randomArchive(random: Random): Buffer {
  const archive = tarOf(...Array.from({ length: 1 + random.below(4) }, () => randomEntry(random)).flat())
  if (random.percent(20)) return archive.subarray(0, random.below(archive.length / 256) * 256)
  if (random.percent(30)) archive[random.below(archive.length)] = random.below(256)
  return archive
}

/** Entries with rare headers. */
const headers: readonly MadeEntry[] = [
  { name: 'size in base 256', size: Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]), content: 'abc' },
  { name: 'negative size in base 256', size: Buffer.alloc(12, 0xff) },
  { name: 'negative size', size: Buffer.from('-0000000001\0') },
  { name: 'size with spaces', size: Buffer.from('   3       \0'), content: 'abc' },
  { name: 'size without a NUL', size: Buffer.from('000000000003'), content: 'abc' },
  { name: 'size of nothing', size: Buffer.alloc(12) },
  { name: 'size of no digits', size: Buffer.from('9'.repeat(11)) },
  { name: 'prefix', prefix: 'of/it' },
  { name: 'prefix of GNU', prefix: 'of/it', magic: 'ustar  \0' },
  { name: 'prefix of V7', prefix: 'of/it', magic: '' },
  { name: 'prefix of STAR', prefix: 'of/it', change: header => void header.write('tar\0', 508) },
  { name: 'other flag', flag: 'Z', content: 'abc' },
]

describe('the entries of an archive', () => {
  it.skipIf(lacks("with Go's archive/tar", 'go'))(
    "are those of Go's archive/tar, by which container engines unpack layers",
    async () => {
      await using made = await mkdtempDisposable(join(tmpdir(), 'ninefold-layers-'))
      const program = join(made.path, 'list')
      const built = await run('go', ['build', '-o', program, join(import.meta.dirname, 'go-archive/main.go')])
      expect(built.errors).toBe('')
      const random = seeded(20_261_130)
      const archives = [
        ...headers.map(entry => tarOf(entry, { name: 'next' })),
        Buffer.alloc(0),
        Buffer.alloc(512),
        Buffer.concat([headerOf({ name: 'a' }), Buffer.alloc(512), headerOf({ name: 'b' })]),
        Buffer.concat([tarOf({ name: 'a' }), tarOf({ name: 'b' })]),
        ...Array.from({ length: 3000 }, () => randomArchive(random)),
      ]
      const { output } = await run(program, [], archives.map(archive => `${archive.toString('base64')}\n`).join(''))
      const told = output
        .toString('utf8')
        .trim()
        .split('\n')
        .map(line => fromGo(JSON.parse(line)))
      const differ = archives.flatMap((archive, i) => {
        const own = listed(archive)
        // What Go refuses, no engine unpacks; the scanner may refuse it later than Go does.
        return told[i] === 'fault' || JSON.stringify(own) === JSON.stringify(told[i]) ? [] : [{ i, own, go: told[i] }]
      })
      expect(told).toHaveLength(archives.length)
      expect(told.filter(list => list === 'fault').length).toBeGreaterThan(300)
      expect(differ).toEqual([])
    },
  )
})
