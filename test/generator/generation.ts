import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { memoryFolder } from '../memory-folder.ts'
import { type Diagnostic, printed } from '../../generator/diagnostics.ts'
import { documentNames } from '../../generator/cli/document-names.ts'
import { generate } from '../../generator/generate.ts'
import type { Model } from '../../generator/model/types.ts'
import type { GenerateOptions } from '../../generator/options.ts'
import { load } from '../../generator/read/load.ts'

export const repository = join(import.meta.dirname, '../..')

/** The result of a run over documents, in the form of the command. */
export interface Generation {
  /** The texts of the files, keyed by path below the output root; empty if there are errors. */
  readonly files: ReadonlyMap<string, string>
  readonly model: Model | undefined
  readonly diagnostics: readonly Diagnostic[]
  /**
   * The diagnostics as lines `file:line:column severity code: message`: first of loading, then of generation, each part
   * sorted.
   */
  readonly printed: readonly string[]
}

/** The usual options; import endings and the place of the runtime do not matter to most tests. */
export const plainOptions: GenerateOptions = {
  runtime: { kind: 'folder', path: '../runtime' },
  importEnding: '.ts',
  flat: false,
  runtimeFiles: new Map(),
}

/**
 * Loads documents relative to `cwd`, generates in memory and returns the result; `names` has the form of the option
 * `--name`.
 */
export async function generation(
  files: readonly string[],
  cwd: string,
  options: GenerateOptions = plainOptions,
  names: readonly string[] = [],
): Promise<Generation> {
  const { loaded, diagnostics: read } = await load(documentNames(files, names), { allowRefs: false, cwd })
  const isReadable = !read.some(({ severity }) => severity === 'error')
  const generated = isReadable ? await generate(loaded, options) : undefined
  const diagnostics = [...read, ...(generated?.diagnostics.sorted() ?? [])]
  return {
    files: generated?.files ?? new Map(),
    model: generated?.model,
    diagnostics,
    printed: diagnostics.map(printed),
  }
}

/** Makes a folder outside the repository; returns its path with links resolved. */
export const newFolder = (): string => realpathSync(mkdtempSync(join(memoryFolder, 'ninefold-')))

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Returns options that name the repository's runtime from an output root elsewhere on the disk. */
export function runtimeFrom(outputRoot: string): GenerateOptions {
  const path = relative(outputRoot, join(repository, 'runtime')).split(sep).join('/')
  return { ...plainOptions, runtime: { kind: 'folder', path } }
}

export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
