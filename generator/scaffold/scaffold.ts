import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Project, type SourceFile } from 'ts-morph'
import type { Model } from '../model/types.ts'
import type { EmitOptions } from '../options.ts'
import { completeFile } from './complete-file.ts'
import { type HandwrittenFile, handwrittenFiles, posixPath, shownPath } from './handwritten.ts'
import { type Implementation, implementations, interfaceUses } from './implementations.ts'
import { type HandlerInterface, handlerInterfaces, type ImportedSymbol, methodNames } from './interfaces.ts'
import { withoutEnding } from './modules.ts'
import { fileNameOf, newClass } from './new-class.ts'
import { merged, nothing, type Scaffolding, warning } from './scaffolding.ts'

/** The arguments of `scaffold`. */
export interface ScaffoldInput {
  /** The folder of the handwritten code, which need not exist. */
  readonly folder: string
  readonly outputRoot: string
  readonly model: Model
  /** The text of each generated file, keyed by path relative to the output root. */
  readonly files: ReadonlyMap<string, string>
  /**
   * The text of each handlers file before this run, keyed by path relative to the output root. The earlier files show
   * which operations were removed.
   */
  readonly previous: ReadonlyMap<string, string>
  readonly options: EmitOptions
}

/** A handwritten file with its syntax tree. */
interface Source {
  readonly file: HandwrittenFile
  readonly parsed: SourceFile
  readonly implementations: readonly Implementation[]
}

/**
 * Plans a stub in each handwritten class that lacks a handler, and a class for each resource without a class. Existing
 * code does not change, except that imports grow. A run after the planned changes plans nothing.
 */
export function scaffold(input: ScaffoldInput): Scaffolding {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipFileDependencyResolution: true,
    skipLoadingLibFiles: true,
  })
  const root = posixPath(input.outputRoot)
  const interfaces = handlerInterfaces(project, input.model, input.files, root)
  const sources = openSources(project, input, interfaces)
  const previous = previousMethods(project, input.previous, root)
  const unimplemented = unimplementedOf(input.options, root)
  const completed = sources.map(({ file, implementations: found }) =>
    completeFile(file, found, unimplemented, previous),
  )
  const started = interfaces.map(found => startClass(found, sources, unimplemented, input))
  return merged([...completed, ...started])
}

function openSources(project: Project, input: ScaffoldInput, interfaces: readonly HandlerInterface[]): Source[] {
  const parsed = handwrittenFiles(input.folder, input.outputRoot).map(file => ({
    file,
    parsed: project.createSourceFile(posixPath(file.path), file.text, { overwrite: true }),
  }))
  // A base class may be in any file, so all files are parsed before any class is examined.
  return parsed.map(source => ({ ...source, implementations: implementations(source.parsed, interfaces) }))
}

/**
 * Plans a class for a resource that no class handles. Only warns if a file uses the interface without a class, or if
 * the file of the class exists.
 */
function startClass(
  group: HandlerInterface,
  sources: readonly Source[],
  unimplemented: ImportedSymbol,
  { folder, options }: ScaffoldInput,
): Scaffolding {
  const handles = (source: Source): boolean =>
    source.implementations.some(({ interfaces }) => interfaces.includes(group))
  if (group.methods.length === 0 || sources.some(handles)) return nothing
  for (const { file, parsed } of sources) {
    const use = interfaceUses(parsed, [group])[0]
    if (!use) continue
    const { line, column } = parsed.getLineAndColumnAtPos(use.start)
    const message = `${group.name} is used, but no class implements it: no class was added`
    return warning('no-handler-class', message, { file: shownPath(file.path), line, column })
  }
  const path = join(homeOf(group, sources, folder, options.flat), fileNameOf(group.group))
  if (existsSync(path)) {
    const message = `no class here implements ${group.name}: none was added, since the file exists`
    return warning('no-handler-class', message, { file: shownPath(path), line: 1, column: 1 })
  }
  const text = newClass(group, unimplemented, posixPath(dirname(path)), options.importEnding)
  return { ...nothing, files: new Map([[path, text]]), added: group.methods.map(({ name }) => `${group.name}.${name}`) }
}

/**
 * Returns the folder of the document's other classes. Without other classes, returns the folder of the document, or the
 * folder of the handwritten code if the output is flat.
 */
function homeOf(group: HandlerInterface, sources: readonly Source[], folder: string, isFlat: boolean): string {
  const neighbour = sources.find(source =>
    source.implementations.some(({ interfaces }) => interfaces.some(({ document }) => document === group.document)),
  )
  if (neighbour) return dirname(neighbour.file.path)
  return isFlat ? folder : join(folder, group.document)
}

/** Returns the symbol `unimplemented` of runtime/errors. The options determine the path of its module. */
function unimplementedOf({ runtime }: EmitOptions, root: string): ImportedSymbol {
  const name = 'unimplemented'
  if (runtime.kind === 'package') return { name, module: `${runtime.name}/errors` }
  return { name, module: posix.join(root, runtime.kind === 'copy' ? 'runtime' : runtime.path, 'errors') }
}

/** Returns the method names of each earlier interface, keyed by module and interface name. */
function previousMethods(
  project: Project,
  previous: ReadonlyMap<string, string>,
  root: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, ReadonlySet<string>>()
  for (const [path, text] of previous) {
    const module = withoutEnding(posix.join(root, path))
    for (const [name, names] of methodNames(project, text)) methods.set(`${module} ${name}`, names)
  }
  return methods
}
