import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Diagnostic } from '../diagnostics.ts'
import { replaceFile } from '../write/replace-file.ts'
import type { Invocation } from './invocation.ts'
import { ownPackage } from '../own-package.ts'
import type { Outline } from '../document-outline.ts'

/** The result of a successful run, cached for the next run. */
export interface CachedRun {
  /** The SHA-256 of each input file, keyed by its path relative to the working directory. */
  readonly inputs: Readonly<Record<string, string>>
  /** The real path of each input file, keyed as `inputs`. References are confined to folders by real paths. */
  readonly places: Readonly<Record<string, string | undefined>>
  /** The SHA-256 of each template that replaces a built-in template, keyed by the path of its file as given. */
  readonly templates: Readonly<Record<string, string>>
  /** The SHA-256 of each generated file, keyed by its path relative to the output root. */
  readonly outputs: Readonly<Record<string, string>>
  readonly warnings: readonly Diagnostic[]
  /** The outlines of all documents, in the order of the run. */
  readonly outlines: readonly Outline[]
  /** The facts for a partial run; absent if the documents can only be generated together. */
  readonly parts?: PartialReuse
}

/** The facts that let a later run reuse a part of the result. */
export interface PartialReuse {
  /** The files of each document, with the document's own file first; the documents are in the order of the run. */
  readonly reach: readonly (readonly [document: string, files: readonly string[]])[]
  /** The SHA-256 of the schemas of the shared documents, without positions and examples. */
  readonly shared: string
}

/** The largest accepted cache file in bytes. A larger file is ignored. */
const maxBytes = 64 * 1024 * 1024

/**
 * The cache file of the runs with one output root, in `node_modules/.cache` of the working directory. Without
 * `node_modules`, and in CI, nothing is cached.
 */
export class RunCache {
  readonly #file: string
  readonly #key: string

  private constructor(file: string, key: string) {
    this.#file = file
    this.#key = key
  }

  /**
   * Returns the cache file of a command line. Returns undefined in CI, without `node_modules`, or if the options make a
   * run do more than produce its output.
   */
  static of(invocation: Invocation): RunCache | undefined {
    const { force, out, report, scaffold, validate } = invocation
    if (force || report || scaffold !== undefined || validate) return undefined
    if (process.env.CI || !existsSync('node_modules')) return undefined
    const file = join('node_modules/.cache/ninefold', `${hash([resolve(out)]).slice(0, 32)}.json`)
    return new RunCache(file, keyOf(invocation))
  }

  /**
   * Returns the cached run. Returns undefined if no cached run is readable, if the run belongs to another generator or
   * other options, or if the hash of the file does not match.
   */
  read(): CachedRun | undefined {
    try {
      const stats = lstatSync(this.#file)
      if (!stats.isFile() || stats.size > maxBytes) return undefined
      const [seal, text = ''] = readFileSync(this.#file, 'utf8').split('\n')
      return seal === hash([this.#key, text]) ? JSON.parse(text) : undefined
    } catch {
      // A run without a cache has the same result, so the cache ignores every fault of its file.
      return undefined
    }
  }

  /** Writes the cached run. A failed write is ignored, because the run itself has succeeded. */
  write(run: CachedRun): void {
    const text = JSON.stringify(run)
    try {
      // A symbolic link could lead to a foreign file, so the cache deletes the link before it writes the file.
      if (lstatSync(this.#file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(this.#file)
      replaceFile(this.#file, `${hash([this.#key, text])}\n${text}`)
    } catch {
      // The run itself has succeeded; only the next run takes longer.
    }
  }
}

function keyOf({
  allowRefs,
  answerChecks,
  client,
  documents,
  importEnding,
  int64,
  out,
  permissionBits,
  runtime,
  strict,
  templates,
}: Invocation): string {
  const given = {
    allowRefs,
    answerChecks,
    client,
    documents,
    importEnding,
    int64,
    out,
    permissionBits,
    runtime,
    strict,
    templates,
  }
  const options = { ...given, in: resolve('') }
  return hash([JSON.stringify(options), process.version, ...generatorTexts()])
}

/**
 * Returns the texts that determine the output in addition to the documents and the options: the package files, and the
 * sources of generator, templates and runtime. The version alone is not enough, because the version stays the same
 * while the generator is being developed.
 */
function generatorTexts(): readonly string[] {
  const { root } = ownPackage()
  const generator = join(import.meta.dirname, '..')
  const folders = [generator, join(generator, '../templates'), join(root, 'runtime')]
  return [readFileSync(join(root, 'package.json'), 'utf8'), ...installed(root), ...folders.flatMap(textsIn)]
}

/**
 * Returns npm's lists of the installed packages, because some packages parse documents and fill templates. A missing
 * list is an empty text.
 */
function installed(root: string): readonly string[] {
  const lists = ['node_modules', '..'].map(folder => join(root, folder, '.package-lock.json'))
  return lists.map(list => (existsSync(list) ? readFileSync(list, 'utf8') : ''))
}

function textsIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const files = entries.map(({ name, parentPath }) => join(parentPath, name)).sort()
  return files.flatMap(file => [file.split(sep).join('/'), readFileSync(file, 'utf8')])
}

function hash(texts: readonly string[]): string {
  const sum = createHash('sha256')
  // The length before each text makes the hashes of different lists of texts differ.
  for (const text of texts) sum.update(`${text.length}\n`).update(text)
  return sum.digest('hex')
}
