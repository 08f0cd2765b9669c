import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Diagnostic } from '../diagnostics.ts'
import type { Outline } from '../model/types.ts'
import { replaceFile } from '../write/replace-file.ts'
import type { Invocation } from './invocation.ts'
import { ownPackage } from './package-root.ts'

/** What a run came to that left, or found, its output as the documents say. */
export interface Memory {
  /** SHA-256 of each file that was read, by its name relative to the working directory. */
  readonly inputs: Readonly<Record<string, string>>
  /** Where each of them really stands, which decides whether references may reach it. */
  readonly places: Readonly<Record<string, string | undefined>>
  /** SHA-256 of each template that stood in place of a built-in one, by its name as given. */
  readonly templates: Readonly<Record<string, string>>
  /** SHA-256 of each file that was generated, by its path relative to the output root. */
  readonly outputs: Readonly<Record<string, string>>
  readonly warnings: readonly Diagnostic[]
  /** Of all documents, in the order of the run. */
  readonly outlines: readonly Outline[]
  /** Absent where no document can be generated without all others. */
  readonly parts?: Parts
}

/** What makes a part of a memory hold while the rest does not. */
export interface Parts {
  /** The files that each document is made of, its own first; documents in the order of the run. */
  readonly reach: readonly (readonly [document: string, files: readonly string[]])[]
  /** SHA-256 of what the documents became that others refer to. */
  readonly shared: string
}

/** No memory of documents that people write is larger; what is larger is not looked into. */
const maxBytes = 64 * 1024 * 1024

/**
 * Where a run keeps what it came to, for a run of the same generator with the same options. It stands in
 * `node_modules/.cache` of the working directory; a project without `node_modules` has none, and in CI nothing is
 * remembered.
 */
export class MemoryFile {
  readonly #file: string
  readonly #key: string

  private constructor(file: string, key: string) {
    this.#file = file
    this.#key = key
  }

  /** None where a run does or says more than its output shows. */
  static of(invocation: Invocation): MemoryFile | undefined {
    const { force, out, report, scaffold, validate } = invocation
    if (force || report || scaffold !== undefined || validate) return undefined
    if (process.env.CI || !existsSync('node_modules')) return undefined
    const file = join('node_modules/.cache/ninefold', `${hash([resolve(out)]).slice(0, 32)}.json`)
    return new MemoryFile(file, keyOf(invocation))
  }

  /** None that is of another generator or other options, or not as it was written. */
  read(): Memory | undefined {
    try {
      const stats = lstatSync(this.#file)
      if (!stats.isFile() || stats.size > maxBytes) return undefined
      const [seal, text = ''] = readFileSync(this.#file, 'utf8').split('\n')
      return seal === hash([this.#key, text]) ? JSON.parse(text) : undefined
    } catch {
      // Whatever is wrong with it, a run without it does the same.
      return undefined
    }
  }

  write(memory: Memory): void {
    const text = JSON.stringify(memory)
    try {
      // What a link leads to is not ours to write.
      if (lstatSync(this.#file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(this.#file)
      replaceFile(this.#file, `${hash([this.#key, text])}\n${text}`)
    } catch {
      // The run has done its work; the next one will take its time again.
    }
  }
}

function keyOf({
  allowRefs,
  client,
  documents,
  importEnding,
  out,
  permissionBits,
  runtime,
  strict,
  templates,
}: Invocation): string {
  const given = { allowRefs, client, documents, importEnding, out, permissionBits, runtime, strict, templates }
  const options = { ...given, in: resolve('') }
  return hash([JSON.stringify(options), process.version, ...generatorTexts()])
}

/** All that decides what is generated: a generator that is worked on has the same version for long. */
function generatorTexts(): readonly string[] {
  const { root } = ownPackage()
  const generator = join(import.meta.dirname, '..')
  const folders = [generator, join(generator, '../templates'), join(root, 'runtime')]
  return [readFileSync(join(root, 'package.json'), 'utf8'), ...installed(root), ...folders.flatMap(textsIn)]
}

/** What npm says of the packages that a package stands with or among: they parse documents and fill templates. */
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
  // Where a text ends is said before it, so that no other texts come to the same.
  for (const text of texts) sum.update(`${text.length}\n`).update(text)
  return sum.digest('hex')
}
