import { elements, member, members, text } from './located.ts'
import { own } from './pointer.ts'
import { follow } from './resolve.ts'
import type { Loaded, Located, SourceFile } from './types.ts'

/** The methods for which operations are generated. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** An operation of an entry document. */
export interface FoundOperation {
  readonly path: string
  /** The method in lower case, as in the document. */
  readonly method: (typeof methods)[number]
  /** The objects that form the path item, as `pathItemParts` returns them. */
  readonly item: readonly Located[]
  readonly at: Located
  /** The entry document. */
  readonly document: Located
}

/**
 * Returns the objects that form a path item: the target of its `$ref`, if it has one, and then the path item itself,
 * whose members replace equal members of the target. Returns no object for a broken reference.
 */
export function pathItemParts(loaded: Loaded, at: Located): readonly Located[] {
  const target = follow(loaded, at)
  if (!target) return []
  return target.value === at.value ? [at] : [target, at]
}

/** Returns the operations of an entry document, in the order of the document. References are followed. */
export function operationsOf(loaded: Loaded, file: SourceFile): readonly FoundOperation[] {
  const document: Located = { file, pointer: '', value: file.root }
  const paths = member(document, 'paths')
  return members(paths).flatMap(([path, at]) => {
    const item = path.startsWith('/') ? pathItemParts(loaded, at) : []
    const operations = new Map(item.flatMap(part => members(part)))
    return [...operations].flatMap(([name, reference]) => {
      const method = methods.find(known => known === name)
      const operation = method && follow(loaded, reference)
      return operation ? [{ path, method, item, at: operation, document }] : []
    })
  })
}

/** Returns the key that identifies a parameter: its location and name. Header names ignore case (RFC 9110 §5.1). */
export function parameterKey(at: Located): string {
  const place = text(at, 'in') ?? ''
  const name = text(at, 'name') ?? ''
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

/**
 * Returns the parameters of an operation and of its path item. A parameter of the operation replaces a parameter of the
 * path item with the same key.
 */
export function parametersOf(loaded: Loaded, { item, at }: FoundOperation): readonly Located[] {
  const found = new Map<string, Located>()
  for (const owner of [...item, at]) {
    for (const element of elements(member(owner, 'parameters'))) {
      const parameter = follow(loaded, element)
      if (parameter && typeof own(parameter.value, 'name') === 'string') found.set(parameterKey(parameter), parameter)
    }
  }
  return [...found.values()]
}

/**
 * The headers that OpenAPI describes elsewhere. OpenAPI ignores parameters with these names (3.0.3, Parameter Object).
 */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** Whether OpenAPI ignores a parameter. */
export const isIgnoredHeader = (at: Located): boolean =>
  text(at, 'in') === 'header' && ignoredHeaders.has((text(at, 'name') ?? '').toLowerCase())

/**
 * Splits a path template into literal texts and names, alternating, beginning with a literal text. Returns undefined if
 * the braces do not match.
 */
export function templateParts(path: string): readonly string[] | undefined {
  const parts = path.split(/\{([^{}]*)\}/)
  const isPaired = parts.every((part, i) => (i % 2 === 1 ? part !== '' : !/[{}]/.test(part)))
  if (!isPaired) return undefined
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

/**
 * Returns literal text of a path template in the form in which clients send it: characters that a path cannot contain
 * (RFC 3986), such as blanks and quotes, are percent-encoded.
 */
export const encodedLiteral = (text: string): string =>
  text.toWellFormed().replace(/[^\w/.~!$&'()*+,;=:@%-]+/g, encodeURIComponent)
