import { readingOf, unreadable, type Reading, type SourcePackage } from './source-package.ts'
import { lines } from './stanzas.ts'

/** The first bytes of the build info of Go, at an address that is a multiple of 16 (debug/buildinfo of Go). */
export const buildInfoMagic = Buffer.from('\xff Go buildinf:', 'latin1')

/** The bytes before the texts of the build info. */
const headerSize = 32
/** The bytes of the mark before and of the mark after the list of modules. */
const markSize = 16

/** The flag of build info whose texts follow the header, as Go 1.18 and newer write it. */
const inlineTexts = 2

/** The most bytes of build info that are read. */
export const longestBuildInfo = 1_048_576

/** Reads the build info of a program of Go, which begins with the magic. Bytes may follow it. */
export function readGoBuildInfo(bytes: Uint8Array): Reading {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (((buffer[15] ?? 0) & inlineTexts) === 0) return unreadable('program built by a Go before 1.18')
  const version = textAt(buffer, headerSize)
  const modules = version && textAt(buffer, version.end)
  if (version === undefined || modules === undefined || modules.bytes.length < 2 * markSize)
    return unreadable('program of Go without the list of its modules')
  const list = modules.bytes.subarray(markSize, -markSize).toString('utf8')
  const { hasFolders, modules: found } = modulesOf(list)
  const packages = [...standardLibrary(version.bytes.toString('utf8')), ...found]
  const { unread, ...reading } = readingOf(packages, 'program of Go')
  return { ...reading, unread: hasFolders ? [...unread, 'program of Go with modules of folders'] : unread }
}

/** Returns a text that begins with its length as a varint; undefined if the bytes end before. */
function textAt(buffer: Buffer, start: number): { readonly bytes: Buffer; readonly end: number } | undefined {
  let length = 0
  let at = start
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = buffer[at++]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80)
      return at + length > buffer.length ? undefined : { bytes: buffer.subarray(at, at + length), end: at + length }
  }
  return undefined
}

/** Returns the standard library as a package, with the version of Go: `go1.22.1 X:boringcrypto` is 1.22.1. */
function standardLibrary(version: string): readonly SourcePackage[] {
  const [, number] = /^(?:devel )?go(\d[^\s-]*)/.exec(version) ?? []
  return number === undefined ? [] : [{ kind: 'golang', name: 'stdlib', version: withPatch(number) }]
}

/** Returns a version of Go as OSV writes it: with three numbers, and with a hyphen before `rc` and `beta`. */
function withPatch(version: string): string {
  const [, numbers = version, rest = ''] = /^([\d.]+)(.*)$/.exec(version) ?? []
  const dots = numbers.split('.').length
  return `${numbers}${'.0'.repeat(Math.max(0, 3 - dots))}${rest === '' ? '' : `-${rest.replace(/^(rc|beta)(\d+)/, '$1.$2')}`}`
}

/** The modules of a program, and whether some of them were built from folders, and so have no version. */
interface Modules {
  readonly modules: readonly SourcePackage[]
  readonly hasFolders: boolean
}

/**
 * Returns the modules of a list of lines `dep<TAB>path<TAB>version<TAB>sum`; a line `=>` replaces the module before. The main
 * module of a program that was built from a working copy has no version either, and is left out.
 */
function modulesOf(list: string): Modules {
  const found: { isMain: boolean; path: string; version: string }[] = []
  for (const line of lines(list)) {
    const [word, path, version = ''] = line.split('\t')
    if (path === undefined) continue
    if (word === 'dep' || word === 'mod') found.push({ isMain: word === 'mod', path, version })
    if (word === '=>') found.push({ isMain: found.pop()?.isMain === true, path, version })
  }
  const versioned = found.filter(({ version }) => version !== '' && version !== '(devel)')
  return {
    modules: versioned.map(({ path, version }) => ({ kind: 'golang', name: path, version: version.replace(/^v/, '') })),
    hasFolders: found.some(module => !module.isMain && !versioned.includes(module)),
  }
}
