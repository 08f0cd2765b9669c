import { readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve as resolvePath, sep } from 'node:path'
import { type Diagnostic, DiagnosticList, type Message, messages } from '../diagnostics.ts'
import { Confinement } from './confine.ts'
import { dialectOf } from './dialect.ts'
import { parse } from './parse.ts'
import { own } from './pointer.ts'
import { positionsOf } from './places.ts'
import { survey, type Survey } from './plain.ts'
import { splitReference } from './reference.ts'
import type { Dialect, Entry, Loaded, SourceFile } from './types.ts'

/** The maximal size of a file in bytes. A larger file is refused before its text is read. */
const maxBytes = 64 * 1024 * 1024

/** The options of `load`. */
export interface LoadOptions {
  /** Whether references may lead outside of the folders of the entry documents. */
  readonly allowRefs: boolean
  /** The folder to which file names are relative. The default is the working directory of the process. */
  readonly cwd?: string
}

/**
 * Reads the entry documents and every file that their references reach, but nothing from a network. Reports an error if
 * an entry cannot be read, and reports syntax errors at their place in the file. For another file that cannot be read,
 * `check` reports an error at each reference to the file.
 */
export async function load(
  entries: readonly { readonly name: string; readonly file: string }[],
  { allowRefs, cwd = process.cwd() }: LoadOptions,
): Promise<{ readonly loaded: Loaded; readonly diagnostics: readonly Diagnostic[] }> {
  const paths = entries.map(({ file }) => resolvePath(cwd, file))
  const loader = new Loader(cwd, allowRefs ? undefined : await Confinement.around(paths))
  const found: Entry[] = []
  for (const [i, entry] of entries.entries()) {
    if (isUrl(entry.file)) {
      loader.refuseUrl(entry.file)
      continue
    }
    const file = await loader.entry(paths[i] ?? entry.file)
    if (found.some(({ name }) => name === entry.name)) loader.refuseName(entry.name, file)
    else if (file) found.push({ name: entry.name, file })
  }
  await loader.rest()
  const reach = new Map(found.map(({ name, file }) => [name, loader.reachOf(file)]))
  return {
    loaded: { entries: found, files: loader.files, reach, refused: loader.refused },
    diagnostics: loader.diagnostics.sorted(),
  }
}

class Loader {
  readonly files = new Map<string, SourceFile>()
  readonly refused = new Map<string, Message>()
  readonly diagnostics = new DiagnosticList()
  readonly #cwd: string
  readonly #confinement: Confinement | undefined
  /** The files to read, with the dialect of the referring file. */
  readonly #pending: (readonly [path: string, dialect: Dialect])[] = []
  /** The names of the files to which a file refers directly, keyed by the name of the referring file. */
  readonly #links = new Map<string, Set<string>>()

  constructor(cwd: string, confinement: Confinement | undefined) {
    this.#cwd = cwd
    this.#confinement = confinement
  }

  async entry(path: string): Promise<SourceFile | undefined> {
    const name = this.#nameOf(path)
    const known = this.files.get(name)
    if (known) return known
    const text = await this.#read(path, name)
    if (typeof text === 'string') return this.#parse(path, name, text, '3.0')
    this.diagnostics.add(text, { file: name, line: 1, column: 1 })
    return undefined
  }

  refuseUrl(url: string): void {
    this.diagnostics.add(messages.fileRemote(url), { file: url, line: 1, column: 1 })
  }

  /** Reports a name that two documents of a run share, because each name is the name of an output folder. */
  refuseName(name: string, file: SourceFile | undefined): void {
    if (file) this.diagnostics.add(messages.documentNameTwice(name), file.positionOf(''))
  }

  /** Returns the names of all files that references reach from one file, beginning with the file itself. */
  reachOf({ file }: SourceFile): ReadonlySet<string> {
    const reached = new Set([file])
    for (const name of reached) for (const linked of this.#links.get(name) ?? []) reached.add(linked)
    return reached
  }

  /** Reads the files that references reach, until no new file appears. */
  async rest(): Promise<void> {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      const [path, dialect] = next
      const name = this.#nameOf(path)
      const known = this.files.get(name)
      if (known) this.#refuseMixed(known, dialect)
      if (known || this.refused.has(name)) continue
      const text = await this.#read(path, name)
      if (typeof text === 'string') await this.#parse(path, name, text, dialect)
      else this.refused.set(name, text)
    }
  }

  /** Reports a file that is no document and belongs to documents of both versions, which read it differently. */
  #refuseMixed(file: SourceFile, dialect: Dialect): void {
    if (file.dialect !== dialect && own(file.root, 'openapi') === undefined)
      this.diagnostics.add(messages.dialectMixed(), file.positionOf(''))
  }

  async #parse(path: string, name: string, text: string, dialect: Dialect): Promise<SourceFile | undefined> {
    const parsed = await parse(name, text)
    if (parsed.kind === 'data') {
      const { root } = parsed
      const { anchors, faults, references } = survey(root, text.length)
      const version = own(root, 'openapi')
      const known = typeof version === 'string' ? dialectOf(version) : undefined
      const positionOf = await positionsOf(name, text)
      const file = { file: name, text, root, dialect: known ?? dialect, anchors, positionOf }
      return this.#keep(path, file, faults, references)
    }
    for (const { message, position } of parsed.faults) this.diagnostics.add(message, position)
    this.refused.set(name, messages.referenceUnparsed(name))
    return undefined
  }

  #keep(
    path: string,
    file: SourceFile,
    faults: Survey['faults'],
    references: Survey['references'],
  ): SourceFile | undefined {
    for (const { message, pointer } of faults) this.diagnostics.add(message, file.positionOf(pointer))
    if (faults.length > 0) {
      this.refused.set(file.file, messages.referenceUnparsed(file.file))
      return undefined
    }
    this.files.set(file.file, file)
    const links = new Set<string>()
    this.#links.set(file.file, links)
    for (const reference of references) {
      const { path: target, isLocal } = splitReference(reference)
      if (!isLocal || target === '') continue
      const linked = resolvePath(dirname(path), target)
      links.add(this.#nameOf(linked))
      this.#pending.push([linked, file.dialect])
    }
    return file
  }

  /** Returns the text of a file, or the message of its fault. */
  async #read(path: string, name: string): Promise<string | Message> {
    try {
      const stats = await stat(path)
      if (!stats.isFile()) return messages.fileUnreadable(name, stats.isDirectory() ? 'EISDIR' : 'it is no file')
      if (this.#confinement && !(await this.#confinement.holds(path))) return messages.referenceLeavesFolder(name)
      if (stats.size > maxBytes) return messages.fileTooLarge(name, maxBytes)
      const bytes = await readFile(path)
      return textOf(bytes) ?? messages.fileNotText(name, encodingOf(bytes))
    } catch (error) {
      return messages.fileUnreadable(name, codeOf(error))
    }
  }

  #nameOf(path: string): string {
    const name = relative(this.#cwd, path)
    return (isAbsolute(name) ? path : name).split(sep).join('/')
  }
}

/** Returns the text of bytes; undefined if the bytes are no text in UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 4096).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the encoding of bytes that begin with the byte order mark of UTF-16, or with ASCII characters in UTF-16. */
function encodingOf(bytes: Uint8Array): 'UTF-16' | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const isWide =
    (first === 0 && second > 0 && third === 0 && fourth > 0) || (first > 0 && second === 0 && third > 0 && fourth === 0)
  return isMarked || isWide ? 'UTF-16' : undefined
}

/** Whether the name of a document is a URL rather than a path. */
const isUrl = (file: string): boolean => /^[a-z][a-z\d+.-]+:\/\//i.test(file)

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO'
