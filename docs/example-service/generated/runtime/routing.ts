// Copied by ninefold. Do not edit: generate writes it again.

import type { PathParameters } from './doors.ts'
import type { Method, Route } from './route.ts'

interface Routed {
  readonly route: Pick<Route<unknown, unknown>, 'operationId' | 'method' | 'path' | 'catchAll'>
}

/** The result of matching a method and a raw path. */
export type Match<Bound> =
  | Found<Bound>
  /** The path matches; `names` are the parameters that cannot be decoded, and `raw` their texts as they were sent. */
  | {
      readonly kind: 'malformed'
      readonly bound: Bound
      readonly names: readonly string[]
      readonly raw: readonly string[]
    }
  /** Paths match, but have other methods, each listed once. HEAD is allowed with GET and not listed. */
  | { readonly kind: 'method'; readonly allowed: readonly Method[] }
  | { readonly kind: 'none' }

/** Finds the route of a request. */
export interface Router<Bound> {
  match(method: string, rawPath: string): Match<Bound>
}

/** A route at the end of its path. */
interface End<Bound> {
  readonly method: Method
  readonly bound: Bound
  readonly names: readonly string[]
  /** The route of the same path that was added before, with another method. */
  readonly other: End<Bound> | undefined
}

/**
 * The place that literal text, slashes included, leads to from the start or from a segment with parameters. Routes end
 * here, or continue with such segments.
 */
interface Place<Bound> {
  readonly text: string
  end: End<Bound> | undefined
  /** The runs that follow each segment with parameters. */
  readonly runs: Map<string, Run<Bound>>
  /** The segments with parameters, the most literal text first, so that `{id}:start` is tried before `{id}`. */
  readonly patterns: Pattern[]
  /** The fork after `{id}` alone, which is tried last, or 0. */
  plain: number
  /** The place with the longest text that is a prefix of this place's text. */
  up: Place<Bound> | undefined
}

/** The places of literal text from one point, keyed by the text. */
type Run<Bound> = Map<string, Place<Bound>>

/**
 * A segment with parameters: the literal texts before the first parameter, between two parameters, and after the last
 * parameter.
 */
interface Pattern {
  readonly before: string
  readonly between: readonly string[]
  readonly after: string
  /** The code of the first character of `after`, or 0. */
  readonly mark: number
  /** The fork of the run that follows. */
  readonly fork: number
}

/**
 * The places of a run are distinguished by forks, each of which looks at one character; then the text of the remaining
 * place is compared at once. A fork is an index into `forks`, because adjacent numbers are read fastest. The numbers of
 * a fork are: the length of the common text, the lowest character code that continues, the number of codes from there,
 * the place if no code matches, and the next fork for each code, or 0.
 */
interface Table<Bound> {
  readonly forks: number[]
  readonly places: (Place<Bound> | undefined)[]
  /** The start and end of each parameter in the current path; only one call of `match` uses them. */
  readonly spans: number[]
  /** The routes with a catch-all, in the order of the attempts. */
  readonly catchAlls: readonly CatchAll<Bound>[]
  /** Whether a literal text has percent-encoded characters, so that paths are brought to the same form first. */
  readonly isEncoded: boolean
}

/** The routes of one path with a catch-all. */
interface CatchAll<Bound> {
  /** The expression of the path, with a group for each parameter. */
  readonly expression: RegExp
  end: End<Bound> | undefined
}

/**
 * Returns the router of the routes. A path is split on `/` before it is decoded, so `%2F` and `%3A` never separate.
 * Literals are tried before parameters, and a dead end backtracks (conventions §1). A path without the method of the
 * request is a dead end too: with `GET /users/me` and `DELETE /users/{id}`, `DELETE /users/me` deletes the user `me`. But
 * a verb never becomes a part of a value: with `POST /jobs/{id}:stop` and `GET /jobs/{id}`, `GET /jobs/7:stop` has a
 * wrong method. Routes with a catch-all are tried if no other path matches. Throws for two equal routes, and for a
 * catch-all that breaks the rules of `Rules.catchAll`.
 */
export function buildRouter<Bound extends Routed>(routes: readonly Bound[]): Router<Bound> {
  const root: Run<Bound> = new Map()
  const lists = new Map<string, readonly string[]>()
  const catchAlls = new Map<string, CatchAll<Bound>>()
  for (const bound of routes) {
    const { method, path, operationId, catchAll } = bound.route
    const place = catchAll === undefined ? placeAt(root, path) : catchAllAt(catchAlls, path, catchAll)
    const same = endOf(place.end, method)?.bound.route.operationId
    if (same !== undefined) {
      throw new Error(`operations "${same}" and "${operationId}" have the same route ${method} ${pathTemplate(path)}`)
    }
    const list = path.filter((_, index) => index % 2 === 1)
    // Routes share lists, because matching is faster on less memory.
    const names = entry(lists, JSON.stringify(list), () => list)
    place.end = { method, bound, names, other: place.end }
  }
  const ordered = [...catchAlls].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, catchAll]) => catchAll)
  const isEncoded = routes.some(({ route: { path } }) => path.some((part, index) => index % 2 === 0 && isInexact(part)))
  const table: Table<Bound> = {
    forks: [],
    places: [undefined],
    spans: [],
    catchAlls: ordered,
    isEncoded,
  }
  addFork(table, inOrder(root), 0)
  return { match: (method, rawPath) => match(table, method, rawPath) }
}

/** Returns the template of a path, such as `/quotas/{id}:reset`, for people and logs. */
export function pathTemplate(path: readonly string[]): string {
  return path.map((part, index) => (index % 2 === 1 ? `{${part}}` : part)).join('')
}

/** A mark for a parameter; encoded text does not contain it. */
const hole = ' '

function placeAt<Bound>(root: Run<Bound>, path: readonly string[]): Place<Bound> {
  const template = path.map((part, index) => (index % 2 === 1 ? hole : encodeLiteral(part))).join('')
  let run = root
  let text = ''
  for (const segment of template.split('/').slice(1)) {
    text += '/'
    if (segment.includes(hole)) [run, text] = [entry(placeIn(run, text).runs, segment, () => new Map()), '']
    else text += segment
  }
  return placeIn(run, text)
}

// Marks of a parameter and of a catch-all, which sort after all text of a segment and after its end mark, `\x7f`.
const parameterMark = '\x80'
const catchAllMark = '\x81'

/** The regular expressions of the parameters, keyed by mark. */
const groups: Readonly<Record<string, string>> = { '\x80': '([^/]+)', '\x81': '(.+)' }

/**
 * Returns the entry of a path with a catch-all. The keys of the entries sort in the order of the attempts: literal text
 * comes before the end of a segment, the end before parameters, and parameters before catch-alls. A key compares the
 * path from its start to the catch-all, and then from its end backwards.
 */
function catchAllAt<Bound>(
  known: Map<string, CatchAll<Bound>>,
  path: readonly string[],
  name: string,
): CatchAll<Bound> {
  const markOf = (parameter: string) => (parameter === name ? catchAllMark : parameterMark)
  const marks = path.map((part, index) => (index % 2 === 1 ? markOf(part) : encodeLiteral(part)))
  const isApart = marks.slice(2, -1).every((text, index) => index % 2 === 1 || text.includes('/'))
  if (!marks.includes(catchAllMark) || !isApart) {
    throw new Error(`route ${pathTemplate(path)} must have the catch-all {${name}}, and a slash between its parameters`)
  }
  const [before = '', after = ''] = marks.join('').split(catchAllMark)
  const expression = marks.join('').replaceAll(/[^\w/]/g, mark => groups[mark] ?? `\\${mark}`)
  const sides = [before, [...after].toReversed().join(''), '']
  return entry(known, sides.join(catchAllMark).replaceAll('/', '\x7f'), () => ({
    expression: new RegExp(`^${expression}$`, 'ds'),
    end: undefined,
  }))
}

function placeIn<Bound>(run: Run<Bound>, text: string): Place<Bound> {
  return entry(run, text, () => ({ text, end: undefined, runs: new Map(), patterns: [], plain: 0, up: undefined }))
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** Whether literal text has characters that callers may send in several forms. */
const isInexact = (text: string): boolean => /[^\w/.~!$&'()*+,;=:@-]/.test(text)

/**
 * Returns literal text, or a path, in one form: characters that a path cannot contain (RFC 3986), such as blanks and
 * quotes, are percent-encoded in capitals. Callers send such characters in either form.
 */
function encodeLiteral(text: string): string {
  const encoded = text.toWellFormed().replace(/[^\w/.~!$&'()*+,;=:@%-]+/g, encodeURIComponent)
  return encoded.replace(/%[\da-f]{2}/gi, code => code.toUpperCase())
}

function inOrder<Bound>(run: Run<Bound>): [string, Place<Bound>][] {
  return [...run].sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Adds the fork of places with a common prefix, and all forks after it; `up` is the place before them. Returns the
 * fork.
 */
function addFork<Bound>(table: Table<Bound>, run: [string, Place<Bound>][], up: number): number {
  const { forks, places } = table
  const [text = '', last = ''] = [run[0]?.[0], run.at(-1)?.[0]]
  let size = 0
  while (size < text.length && text[size] === last[size]) size += 1
  const here = text.length === size ? run.shift()?.[1] : undefined
  const longer = Map.groupBy(run, ([text]) => text.charCodeAt(size))
  const [least = 0] = longer.keys()
  const count = longer.size > 0 ? last.charCodeAt(size) - least + 1 : 0
  const place = here === undefined ? up : places.push(here) - 1
  const fork = forks.push(size, least, count, place) - 4
  for (let code = 0; code < count; code += 1) forks.push(0)
  if (here !== undefined) addPatterns(table, here, places[up])
  for (const [code, group] of longer) forks[fork + 4 + code - least] = addFork(table, group, place)
  return fork
}

function addPatterns<Bound>(table: Table<Bound>, place: Place<Bound>, up: Place<Bound> | undefined): void {
  place.up = up
  for (const [segment, run] of [...place.runs].sort(([one], [other]) => other.length - one.length)) {
    const [before = '', ...between] = segment.split(hole)
    const after = between.pop() ?? ''
    const fork = addFork(table, inOrder(run), 0)
    if (segment === hole) place.plain = fork
    else place.patterns.push({ before, between, after, mark: after === '' ? 0 : after.charCodeAt(0), fork })
  }
}

function match<Bound>(table: Table<Bound>, method: string, given: string): Match<Bound> {
  const path = table.isEncoded && isInexact(given) ? encodeLiteral(given) : given
  const first = walk(table, 0, path, 0, 0) ?? spanning(table, path)
  if (first === undefined) return { kind: 'none' }
  const served = endOf(first, method) ?? (method === 'HEAD' ? endOf(first, 'GET') : undefined)
  return served === undefined ? matchBeside(table, first, method, path) : matched(table, served, path)
}

/** Returns the match of a path whose first route `first` does not serve the method. */
function matchBeside<Bound>(table: Table<Bound>, first: End<Bound>, method: string, path: string): Match<Bound> {
  const search: Search<Bound> = { table, method, path, missed: [] }
  const end = walkOn(search, 0, 0, 0)
  if (end !== undefined) return matched(table, end, path)
  return { kind: 'method', allowed: methodsOf(search.missed.length > 0 ? search.missed : [first]) }
}

function matched<Bound>({ spans }: Table<Bound>, end: End<Bound>, path: string): Match<Bound> {
  const raw = end.names.map((_, index) => path.slice(spans[2 * index], spans[2 * index + 1]))
  if (raw.length === 0 || !path.includes('%')) return new Found(end, raw, raw)
  const values = raw.map(decoded)
  if (!values.includes(undefined)) return new Found(end, raw, values)
  const isBroken = (_: string, index: number): boolean => values[index] === undefined
  return { kind: 'malformed', bound: end.bound, names: end.names.filter(isBroken), raw: raw.filter(isBroken) }
}

/**
 * Returns the first matching path with a catch-all, and notes its parameters. An expression takes time in proportion to
 * the path: a slash between parameters prevents repeated reads of a part.
 */
function spanning<Bound>({ catchAlls, spans }: Table<Bound>, path: string): Place<Bound>['end'] {
  for (const { expression, end } of catchAlls) {
    const found = expression.exec(path)
    if (found === null) continue
    found.indices?.slice(1).forEach((span = [0, 0], index) => ([spans[2 * index], spans[2 * index + 1]] = span))
    return end
  }
  return undefined
}

function endOf<Bound>(first: End<Bound> | undefined, method: string): End<Bound> | undefined {
  let end = first
  while (end !== undefined && end.method !== method) end = end.other
  return end
}

/** Returns the methods of several paths, in the order of the paths and their routes. */
function methodsOf(ends: readonly End<unknown>[]): readonly Method[] {
  const methods = new Set<Method>()
  const add = ({ method, other }: End<unknown>): void => {
    if (other !== undefined) add(other)
    methods.add(method)
  }
  for (const end of ends) add(end)
  return [...methods]
}

/**
 * Returns the routes of the first path that matches `path` from `at` on, beginning at the first fork of a run and after
 * `depth` noted parameters; undefined if no path matches. A run is reached in only one way, so backtracking costs no
 * more than the size of the table.
 */
function walk<Bound>(table: Table<Bound>, fork: number, path: string, at: number, depth: number): Place<Bound>['end'] {
  const { spans } = table
  for (let place = placeOf(table, fork, path, at); place !== undefined; place = place.up) {
    if (!isAt(place.text, path, at)) continue
    const from = at + place.text.length
    if (from === path.length && place.end !== undefined) return place.end
    const slash = path.indexOf('/', from)
    const to = slash === -1 ? path.length : slash
    for (const pattern of place.patterns) {
      const count = capture(pattern, path, from, to, spans, depth)
      const end = count > 0 ? walk(table, pattern.fork, path, to, depth + count) : undefined
      if (end !== undefined) return end
    }
    if (place.plain === 0 || from === to) continue
    spans[2 * depth] = from
    spans[2 * depth + 1] = to
    const end = walk(table, place.plain, path, to, depth + 1)
    if (end !== undefined) return end
  }
  return undefined
}

/** A search for the route of a method, and the routes of the matching paths without the method. */
interface Search<Bound> {
  readonly table: Table<Bound>
  readonly method: string
  readonly path: string
  readonly missed: End<Bound>[]
}

/**
 * Walks as `walk` does, but passes by the paths that lack the method, which are noted. Few requests need this search,
 * and `walk` is a tenth faster without its conditions.
 */
function walkOn<Bound>(search: Search<Bound>, fork: number, at: number, depth: number): End<Bound> | undefined {
  const { method, missed, path, table } = search
  const { spans } = table
  for (let place = placeOf(table, fork, path, at); place !== undefined; place = place.up) {
    if (!isAt(place.text, path, at)) continue
    const from = at + place.text.length
    if (from === path.length && place.end !== undefined) {
      const served = endOf(place.end, method) ?? (method === 'HEAD' ? endOf(place.end, 'GET') : undefined)
      if (served !== undefined) return served
      missed.push(place.end)
    }
    const slash = path.indexOf('/', from)
    const to = slash === -1 ? path.length : slash
    const before = missed.length
    for (const pattern of place.patterns) {
      const count = capture(pattern, path, from, to, spans, depth)
      const end = count > 0 ? walkOn(search, pattern.fork, to, depth + count) : undefined
      if (end !== undefined) return end
      if (missed.length > before) break
    }
    if (place.plain === 0 || from === to || missed.length > before) continue
    spans[2 * depth] = from
    spans[2 * depth + 1] = to
    const end = walkOn(search, place.plain, to, depth + 1)
    if (end !== undefined) return end
  }
  return undefined
}

/** Returns the place with the longest text that may follow `at`, by the characters of the forks. */
function placeOf<Bound>({ forks, places }: Table<Bound>, start: number, path: string, at: number): Place<Bound>['up'] {
  let fork = start
  for (;;) {
    const from = at + (forks[fork] ?? 0)
    // Engines leave the fast path of `charCodeAt` for an index beyond the end.
    const index = from < path.length ? path.charCodeAt(from) - (forks[fork + 1] ?? 0) : -1
    const next = index >= 0 && index < (forks[fork + 2] ?? 0) ? forks[fork + 4 + index] : 0
    if (next === undefined || next === 0) return places[forks[fork + 3] ?? 0]
    fork = next
  }
}

/**
 * Whether a path contains a text at a position. The choice by length takes half the time of `startsWith` in engines.
 */
function isAt(text: string, path: string, at: number): boolean {
  const { length } = text
  return length < 13 ? length === 0 || path.slice(at, at + length) === text : path.lastIndexOf(text, at) === at
}

/**
 * Splits the segment from `at` to `end` at its literal texts and notes the values; returns their number, 0 if a value
 * would be empty.
 */
function capture(pattern: Pattern, path: string, at: number, end: number, spans: number[], depth: number): number {
  const { before, between, after, mark } = pattern
  const from = at + before.length
  let to = end - after.length
  if (to <= from || (mark !== 0 && path.charCodeAt(to) !== mark)) return 0
  if (!isAt(before, path, at) || !isAt(after, path, to)) return 0
  // Each separator is matched at its last occurrence.
  for (let index = between.length; index > 0; index -= 1) {
    const separator = between[index - 1] ?? ''
    const cut = path.lastIndexOf(separator, to - separator.length - 1)
    if (cut <= from) return 0
    spans[2 * (depth + index)] = cut + separator.length
    spans[2 * (depth + index) + 1] = to
    to = cut
  }
  spans[2 * depth] = from
  spans[2 * depth + 1] = to
  return between.length + 1
}

type Values = readonly (string | undefined)[]

/** A matched route. Its parameters are computed on demand: an object of them would cost as much as the match. */
class Found<Bound> implements PathParameters {
  readonly kind = 'found'
  readonly bound: Bound
  /** The path parameters as they were sent, in the order of the path. */
  readonly raw: readonly string[]
  private readonly names: readonly string[]
  private readonly values: Values

  constructor({ bound, names }: End<Bound>, raw: readonly string[], values: Values) {
    this.bound = bound
    this.raw = raw
    this.names = names
    this.values = values
  }

  get(name: string): string | undefined {
    return this.values[this.names.indexOf(name)]
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
