import { elements, member, members, text } from './located.ts'
import { own } from './pointer.ts'
import { follow } from './resolve.ts'
import type { Loaded, Located, SourceFile } from './types.ts'

/** The methods that operations are generated for. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** One operation of an entry document. */
export interface FoundOperation {
  readonly path: string
  /** Lower case, as in the document. */
  readonly method: (typeof methods)[number]
  readonly item: Located
  readonly at: Located
}

/** The path items of an entry document by their templates, references followed. */
function pathItemsOf(loaded: Loaded, file: SourceFile): readonly (readonly [path: string, item: Located])[] {
  const paths = member({ file, pointer: '', value: file.root }, 'paths')
  return members(paths).flatMap(([path, at]) => {
    const item = path.startsWith('/') ? follow(loaded, at) : undefined
    return item ? [[path, item] as const] : []
  })
}

/** Every operation of an entry document, in its order. */
export function operationsOf(loaded: Loaded, file: SourceFile): readonly FoundOperation[] {
  return pathItemsOf(loaded, file).flatMap(([path, item]) =>
    members(item).flatMap(([name, at]) => {
      const method = methods.find(known => known === name)
      return method ? [{ path, method, item, at }] : []
    }),
  )
}

/** What tells two parameters apart: place and name; header names are matched without case (RFC 9110 §5.1). */
export function parameterKey(at: Located): string {
  const place = text(at, 'in') ?? ''
  const name = text(at, 'name') ?? ''
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

/** The parameters of an operation: those of its path item, each replaced by the operation's own of the same key. */
export function parametersOf(loaded: Loaded, { item, at }: FoundOperation): readonly Located[] {
  const found = new Map<string, Located>()
  for (const list of [member(item, 'parameters'), member(at, 'parameters')]) {
    for (const element of elements(list)) {
      const parameter = follow(loaded, element)
      if (parameter && typeof own(parameter.value, 'name') === 'string') found.set(parameterKey(parameter), parameter)
    }
  }
  return [...found.values()]
}

/** Headers that OpenAPI describes elsewhere: parameters of these names are ignored (3.0.3, Parameter Object). */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** Whether a parameter is one that OpenAPI says is to be ignored. */
export const isIgnoredHeader = (at: Located): boolean =>
  text(at, 'in') === 'header' && ignoredHeaders.has((text(at, 'name') ?? '').toLowerCase())

/** A path template taken apart: literal text and names in turn, literal first. Undefined when its braces are not paired. */
export function templateParts(path: string): readonly string[] | undefined {
  const parts = path.split(/\{([^{}]*)\}/)
  const isPaired = parts.every((part, i) => (i % 2 === 1 ? part !== '' : !/[{}]/.test(part)))
  if (!isPaired) return undefined
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}
