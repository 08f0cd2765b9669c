// Copied by ninefold. Do not edit: generate writes it again.

import { setMember } from './json.ts'
import type { Method, Route } from './route.ts'

interface Routed {
  readonly route: Pick<Route<unknown, unknown>, 'operationId' | 'method' | 'path'>
}

/** Where a method and a raw path lead. */
export type Match<Bound> =
  | {
      readonly kind: 'found'
      readonly bound: Bound
      /** Path parameters, decoded once. */
      readonly path: Readonly<Record<string, string>>
      /** The same as they were sent, in the order of the path. */
      readonly raw: readonly string[]
    }
  /** The path is right; `names` are the parameters whose percent-encoding is broken. */
  | { readonly kind: 'malformed'; readonly bound: Bound; readonly names: readonly string[] }
  /** The path is right, the method is not. HEAD is allowed wherever GET is and not listed for it. */
  | { readonly kind: 'method'; readonly allowed: readonly Method[] }
  | { readonly kind: 'none' }

export interface Router<Bound> {
  match(method: string, rawPath: string): Match<Bound>
}

interface End<Bound> {
  readonly method: Method
  readonly bound: Bound
  readonly names: readonly string[]
}

/** A place in the paths of some routes: literal text goes on from it, segments with parameters do, or routes end here. */
interface Node<Bound> {
  /** The text that leads here, and the code of its first character. What routes share is one text, slashes and all. */
  readonly text: string
  readonly first: number
  /** No two begin alike, so at most one fits. */
  readonly literals: Node<Bound>[]
  /** Those with the most literal text first, so that `{id}:start` is tried before `{id}`. */
  readonly patterns: Pattern<Bound>[]
  readonly ends: End<Bound>[]
}

/** One segment with parameters: the literal texts before the first, between each two, and after the last. */
interface Pattern<Bound> {
  /** All of it, with holes for the parameters. */
  readonly segment: string
  readonly before: string
  readonly between: readonly string[]
  readonly after: string
  readonly node: Node<Bound>
}

/**
 * Builds the table of routes once. A path is split on `/` before anything is decoded, so `%2F` and `%3A` never
 * separate; literals are tried before parameters, and a dead end goes back (conventions §1). Which path fits is
 * decided before the method is looked at (OpenAPI 3.0.3, path templating). Throws when two routes are the same.
 */
export function buildRouter<Bound extends Routed>(routes: readonly Bound[]): Router<Bound> {
  const root = nodeFor<Bound>('')
  for (const bound of routes) {
    const { method, path, operationId } = bound.route
    const { ends } = nodeOf(root, path)
    const other = endOf(ends, method)
    if (other !== undefined) {
      const first = other.bound.route.operationId
      throw new Error(`operations "${first}" and "${operationId}" have the same route ${method} ${pathTemplate(path)}`)
    }
    ends.push({ method, bound, names: path.filter((_, index) => index % 2 === 1) })
  }
  return { match: (method, rawPath) => match(root, method, rawPath) }
}

/** `/quotas/{id}:reset`, for people and logs. */
export function pathTemplate(path: readonly string[]): string {
  return path.map((part, index) => (index % 2 === 1 ? `{${part}}` : part)).join('')
}

function nodeFor<Bound>(text: string): Node<Bound> {
  return { text, first: text.charCodeAt(0), literals: [], patterns: [], ends: [] }
}

/** Stands for a parameter; encoded text does not hold it. */
const hole = ' '

function nodeOf<Bound>(root: Node<Bound>, path: readonly string[]): Node<Bound> {
  const template = path.map((part, index) => (index % 2 === 1 ? hole : encodeLiteral(part))).join('')
  let node = root
  let text = ''
  for (const segment of template.split('/').slice(1)) {
    text += '/'
    if (segment.includes(hole)) [node, text] = [afterPattern(afterText(node, text), segment), '']
    else text += segment
  }
  return afterText(node, text)
}

/** Paths arrive encoded: what no URL can hold as it is (letters beyond ASCII, blanks) is compared in that form. */
function encodeLiteral(text: string): string {
  return text.toWellFormed().replace(/[^!-~]+/gu, encodeURIComponent)
}

function afterText<Bound>(node: Node<Bound>, text: string): Node<Bound> {
  if (text === '') return node
  const { literals } = node
  const index = literals.findIndex(({ first }) => first === text.charCodeAt(0))
  const known = literals[index]
  if (known === undefined) {
    const next = nodeFor<Bound>(text)
    literals.push(next)
    return next
  }
  const length = sharedLength(text, known.text)
  const rest = text.slice(length)
  if (length === known.text.length) return afterText(known, rest)
  const fork = nodeFor<Bound>(text.slice(0, length))
  fork.literals.push({ ...known, text: known.text.slice(length), first: known.text.charCodeAt(length) })
  literals[index] = fork
  return afterText(fork, rest)
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

function afterPattern<Bound>({ patterns }: Node<Bound>, segment: string): Node<Bound> {
  const known = patterns.find(pattern => pattern.segment === segment)
  if (known !== undefined) return known.node
  const [before = '', ...between] = segment.split(hole)
  const after = between.pop() ?? ''
  const node = nodeFor<Bound>('')
  patterns.push({ segment, before, between, after, node })
  patterns.sort((one, other) => other.segment.length - one.segment.length)
  return node
}

function match<Bound>(root: Node<Bound>, method: string, rawPath: string): Match<Bound> {
  const values: string[] = []
  const ends = walk(root, rawPath, 0, values)
  if (ends === undefined) return { kind: 'none' }
  const end = endOf(ends, method) ?? (method === 'HEAD' ? endOf(ends, 'GET') : undefined)
  if (end === undefined) return { kind: 'method', allowed: ends.map(end => end.method) }
  return rawPath.includes('%') ? decode(end, values) : found(end, values, values)
}

function endOf<Bound>(ends: readonly End<Bound>[], method: string): End<Bound> | undefined {
  for (const end of ends) if (end.method === method) return end
  return undefined
}

/**
 * Goes on from a node with what follows `at`. A node of the tree is reached in one way only, so going back costs no
 * more than the tree is large.
 */
function walk<Bound>(node: Node<Bound>, path: string, at: number, values: string[]): Node<Bound>['ends'] | undefined {
  if (at === path.length) return node.ends.length > 0 ? node.ends : undefined
  const first = path.charCodeAt(at)
  for (const literal of node.literals) {
    if (literal.first !== first || !path.startsWith(literal.text, at)) continue
    const ends = walk(literal, path, at + literal.text.length, values)
    if (ends !== undefined) return ends
  }
  if (node.patterns.length === 0) return undefined
  const slash = path.indexOf('/', at)
  const end = slash === -1 ? path.length : slash
  for (const pattern of node.patterns) {
    const before = values.length
    if (!capture(pattern, path, at, end, values)) continue
    const ends = walk(pattern.node, path, end, values)
    if (ends !== undefined) return ends
    values.length = before
  }
  return undefined
}

/** Cuts the segment from `at` to `end` at its literal texts and adds the values; false when one would be empty. */
function capture(pattern: Pattern<unknown>, path: string, at: number, end: number, values: string[]): boolean {
  const { before, between, after } = pattern
  const from = at + before.length
  const to = end - after.length
  if (to <= from || !isAt(before, path, at) || !isAt(after, path, to)) return false
  if (between.length > 0) return cut(between, path.slice(from, to), values)
  values.push(path.slice(from, to))
  return true
}

/** Most parameters have no text around them, and asking the string costs more than all the rest. */
function isAt(text: string, path: string, at: number): boolean {
  return text === '' || path.startsWith(text, at)
}

/** Cuts text at the last occurrence of each separator. */
function cut(separators: readonly string[], text: string, values: string[]): boolean {
  const found: string[] = []
  let end = text.length
  for (const separator of separators.toReversed()) {
    const at = text.lastIndexOf(separator, end - separator.length - 1)
    if (at <= 0) return false
    found.unshift(text.slice(at + separator.length, end))
    end = at
  }
  values.push(text.slice(0, end), ...found)
  return true
}

function found<Bound>({ bound, names }: End<Bound>, raw: readonly string[], values: Values): Match<Bound> {
  const path: Record<string, string> = {}
  for (let index = 0; index < names.length; index += 1) setMember(path, names[index] ?? '', values[index] ?? '')
  return { kind: 'found', bound, path, raw }
}

type Values = readonly (string | undefined)[]

function decode<Bound>(end: End<Bound>, raw: readonly string[]): Match<Bound> {
  const values = raw.map(decoded)
  const broken = end.names.filter((_, index) => values[index] === undefined)
  return broken.length > 0 ? { kind: 'malformed', bound: end.bound, names: broken } : found(end, raw, values)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
