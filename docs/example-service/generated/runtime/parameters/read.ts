// Copied by ninefold. Do not edit: generate writes it again.

import { plainJson, setMember } from '../json.ts'
import { isRecord, own } from '../validation.ts'
import type { Faults } from '../validation.ts'
import type { Scalar, Parameter, Field, MemberType, ObjectType } from './types.ts'

/** The sources of a call's parameters. */
export interface ParameterSource {
  /** The encoded path parameters, in the order of the path. */
  readonly path: readonly string[]
  /** The encoded query without its `?`. */
  readonly query: string
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the parameters into a request; the fault of an unreadable parameter is added to `faults` under its member's
 * name.
 */
export type ParameterReader = (source: ParameterSource, faults: Faults) => Record<string, unknown>

type Decode = (text: string) => string

/** The texts of a parameter as the caller sent them, one for each occurrence. */
interface Texts {
  readonly field: string
  readonly raw: readonly string[]
  readonly decode: Decode
}

/** The texts of the query or of the cookies, keyed by name. Reading a parameter removes its texts. */
type Given = Map<string, string[]>

const none: Given = new Map()

interface Sources extends Omit<ParameterSource, 'query'> {
  readonly query: Given
  readonly cookie: Given
}

class Unreadable extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** The maximal nesting of JSON and of objects in a parameter. */
const maxDepth = 100

const anyObject: ObjectType = { object: {}, further: 'any' }

/** The separators of items in one text, keyed by style, if they are not commas. */
const delimiters: Readonly<Partial<Record<string, RegExp>>> = { spaceDelimited: /%20|\+/, pipeDelimited: /\||%7C/i }

/** Returns the separator of items in one text of a style; a text is split before its items are decoded. */
const delimiterOf = (style: string): RegExp => delimiters[style] ?? /,/

const integerText = /^-?(?:0|[1-9][0-9]*)$/
const numberText = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

const decodePath: Decode = text => {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new URIError(encodingFault(text))
  }
}
const decodeQuery: Decode = text => decodePath(text.includes('+') ? text.replaceAll('+', ' ') : text)
const decodeHeader: Decode = text => text.trim()

/**
 * Returns the reader of an operation's parameters; `pathNames` are the path parameters in their order. A text becomes a
 * number or a boolean only if the parameter has that type and the whole text is a number or boolean; any other text
 * stays text, and the check reports the fault. Unknown query parameters, but for `ignored` names, and repeated scalars
 * are faults (conventions §1).
 */
export function parameterReader(
  parameters: readonly Parameter[],
  pathNames: readonly string[],
  ignored: readonly string[] = [],
): ParameterReader {
  const hasCookies = parameters.some(parameter => parameter.in === 'cookie')
  const skipped = ignored.filter(key => !parameters.some(({ in: place, name }) => place === 'query' && name === key))
  return ({ path, query, headers }, faults) => {
    const cookie = hasCookies ? pairsOf(headers.cookie ?? '', ';') : none
    const sources = { path, query: query === '' ? none : pairsOf(query, '&'), cookie, headers }
    for (const name of skipped) sources.query.delete(name)
    const request: Record<string, unknown> = {}
    for (const parameter of parameters) {
      const field = parameter.member ?? parameter.name
      setRead(request, field, faults, () => read(parameter, field, sources, pathNames))
    }
    for (const name of sources.query.keys()) faults.add(name.slice(0, 80), 'is not a parameter of this operation')
    return request
  }
}

/**
 * Returns the reader of a form's text (`application/x-www-form-urlencoded`), whose fields are read like query
 * parameters. Undeclared fields become members of the type `further`; a repeated field is a list.
 */
export function formReader(fields: readonly Field[], further: Scalar): (text: string, faults: Faults) => unknown {
  const parameters = fields.map(field => ({ ...field, in: 'query' as const }))
  return (text, faults) => {
    const query = pairsOf(text, '&')
    const sources = { path: [], query, cookie: none, headers: {} }
    const form: Record<string, unknown> = {}
    for (const field of parameters) {
      setRead(form, field.name, faults, () => read(field, field.name, sources, []) ?? (field.orNull ? null : undefined))
    }
    for (const [name, { length }] of query) {
      const other = { name, in: 'query', type: length > 1 ? { array: further } : further } as const
      setRead(form, name, faults, () => read(other, name.slice(0, 80), sources, []))
    }
    return form
  }
}

/** Sets the value that `readValue` returns, or adds the fault of an unreadable value; absent values are left out. */
function setRead(target: Record<string, unknown>, name: string, faults: Faults, readValue: () => unknown): void {
  try {
    const value = readValue()
    if (value !== undefined) setMember(target, name, value)
  } catch (error) {
    if (error instanceof Unreadable) faults.add(error.field, error.message)
    else if (error instanceof URIError || error instanceof SyntaxError) faults.add(name, error.message)
    else throw error
  }
}

/** Returns the fault of a text that cannot be decoded: its percent-encoding is broken, or its bytes are not UTF-8. */
export function encodingFault(text: string): string {
  return /%(?![\da-f]{2})/i.test(text)
    ? 'has broken percent-encoding; write a percent sign as "%25"'
    : 'has invalid UTF-8 in its percent-encoding; encode the text as UTF-8, such as "%C3%A9" for "é"'
}

function pairsOf(text: string, separator: string): Given {
  const given: Given = new Map()
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=')
    const name = nameOf((equals === -1 ? pair : pair.slice(0, equals)).trim())
    if (pair !== '' || given.has(name)) put(given, name, equals === -1 ? '' : pair.slice(equals + 1).trim())
  }
  return given
}

/** Adds a text to the texts of a name. */
function put(given: Given, name: string, text: string): void {
  const texts = given.get(name)
  if (texts) texts.push(text)
  else given.set(name, [text])
}

function nameOf(raw: string): string {
  try {
    return decodeQuery(raw)
  } catch {
    return raw
  }
}

function take(given: Given, name: string, field: string): Texts | undefined {
  const raw = given.get(name)
  given.delete(name)
  return raw && { field, raw, decode: decodeQuery }
}

function read(parameter: Parameter, field: string, sources: Sources, pathNames: readonly string[]): unknown {
  const { allowEmpty, name, type, in: place, style = 'form' } = parameter
  const explode = parameter.explode ?? (style === 'deepObject' || (style === 'form' && isPair(place)))
  if (isPair(place) && explode && typeof type === 'object' && 'object' in type) {
    if (style !== 'deepObject') return readMembers(field, type, sources[place])
    const object = readDeep(name, field, type, sources[place])
    const texts = object === undefined && type.or ? take(sources[place], name, field) : undefined
    return texts && type.or ? readOne(type.or, texts) : object
  }
  const texts = isPair(place) ? take(sources[place], name, field) : only(parameter, field, sources, pathNames)
  if (texts === undefined) return undefined
  if (style === 'label' || style === 'matrix') return readPrefixed(parameter, texts)
  if (allowEmpty && texts.raw.join() === '' && type !== 'string') return type === 'boolean' ? true : undefined
  if (typeof type === 'string') return readOne(type, texts, parameter.json)
  if ('object' in type) return readPairs(type, texts, delimiterOf(style), explode)
  return readItems(type.array, texts, isPair(place) && explode ? undefined : delimiterOf(style))
}

const isPair = (place: Parameter['in']): place is 'query' | 'cookie' => place === 'query' || place === 'cookie'

function only({ name, in: place }: Parameter, field: string, sources: Sources, pathNames: readonly string[]) {
  const isPath = place === 'path'
  const raw = isPath ? sources.path[pathNames.indexOf(name)] : sources.headers[name.toLowerCase()]
  return raw === undefined ? undefined : { field, raw: [raw], decode: isPath ? decodePath : decodeHeader }
}

function readOne(type: Scalar | 'json', texts: Texts, { parse } = plainJson): unknown {
  const text = texts.decode(once(texts))
  return type === 'json' ? parse(text, maxDepth) : readScalar(type, text)
}

function once({ field, raw }: Texts): string {
  const [text] = raw
  if (text === undefined || raw.length > 1) throw new Unreadable(field, 'must be given once')
  return text
}

/**
 * Returns the value of a text by its declared type; a text of another form stays text, and the check reports the fault.
 */
export function readScalar(type: Scalar, text: string): string | number | bigint | boolean {
  if (type === 'integer' && integerText.test(text)) return Number(text)
  if (type === 'bigint' && text.length <= 20 && integerText.test(text)) return BigInt(text)
  if ((type === 'number' || type === 'literal') && numberText.test(text)) return Number(text)
  if ((type === 'boolean' || type === 'literal') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readItems(type: Scalar, texts: Texts, delimiter?: RegExp): unknown[] {
  const items = delimiter === undefined ? texts.raw : once(texts).split(delimiter)
  return items.map(item => readScalar(type, texts.decode(item)))
}

/** Returns the value of a member by its type. */
function readMember(object: ObjectType, name: string, texts: Texts): unknown {
  const type = typeOf(object, name) ?? 'string'
  if (type === 'any') return texts.raw.length > 1 ? readItems('string', texts) : readOne('string', texts)
  if (typeof type === 'string') return readOne(type, texts)
  return 'array' in type ? readItems(type.array, texts) : readOne(type.or ?? 'string', texts)
}

const typeOf = ({ further, object }: ObjectType, name: string): MemberType | undefined => own(object, name) ?? further

/** Returns an object from one text: `R,100,G,200`, or `R=100,G=200` with `explode`. */
function readPairs(type: ObjectType, texts: Texts, delimiter: RegExp, explode: boolean): unknown {
  const parts = once(texts).split(delimiter)
  const pairs = explode ? parts.flatMap(part => part.split(/=(.*)/s).slice(0, 2)) : parts
  if (pairs.length % 2 === 1) throw new Unreadable(texts.field, 'must be pairs of name and value')
  const given: Given = new Map()
  for (let index = 0; index < pairs.length; index += 2) {
    put(given, texts.decode(pairs[index] ?? ''), pairs[index + 1] ?? '')
  }
  const object: Record<string, unknown> = {}
  for (const [name, raw] of given) setMember(object, name, readMember(type, name, { ...texts, raw }))
  return object
}

/** Returns a value of the path in the style `label` or `matrix`, whose text begins with a mark. */
function readPrefixed({ explode = false, name, style, type }: Parameter, texts: Texts): unknown {
  const { field } = texts
  const raw = once(texts)
  const mark = style === 'label' ? '.' : ';'
  const fault = new Unreadable(field, `must begin with "${mark}${style === 'label' ? '' : name}"`)
  if (!raw.startsWith(mark)) throw fault
  const isExploded = explode && typeof type === 'object'
  const parts = isExploded ? raw.slice(1).split(mark) : [raw.slice(1)]
  const isNamed = style === 'matrix' && !(isExploded && 'object' in type)
  const values = isNamed ? parts.map(part => valueOf(part, name)) : parts
  if (values.includes(undefined)) throw fault
  const found = values.map(value => value ?? '')
  const given = { ...texts, raw: found }
  if (typeof type === 'string') return readOne(type, given)
  if ('array' in type) return readItems(type.array, given, explode ? undefined : /,/)
  if (!explode) return readPairs(type, given, /,/, false)
  // An empty value has no `=`.
  const pairs = found.map(part => (part.includes('=') ? part : `${part}=`))
  return readPairs(type, { ...texts, raw: [pairs.join(mark)] }, style === 'label' ? /\./ : /;/, true)
}

/** Returns the text after `name=`, and an empty text for `name`; undefined for another name. */
function valueOf(part: string, name: string): string | undefined {
  const [given = '', text = ''] = part.split(/=(.*)/s)
  return nameOf(given) === name ? text : undefined
}

/** Returns an object whose members are separate parameters: `min=1990&max=2000`; undefined if no member is present. */
function readMembers(field: string, type: ObjectType, given: Given): unknown {
  const object: Record<string, unknown> = {}
  for (const name of type.further === undefined ? Object.keys(type.object) : [...given.keys()]) {
    const texts = take(given, name, `${field}.${name}`)
    if (texts !== undefined) setMember(object, name, readMember(type, name, texts))
  }
  return Object.keys(object).length > 0 ? object : undefined
}

/**
 * Returns an object whose members are separate parameters with a pair of brackets for each level:
 * `year[min]=1990&year[max]=2000`. Returns undefined if no member is present.
 */
function readDeep(name: string, field: string, type: ObjectType, given: Given): unknown {
  const object: Record<string, unknown> = {}
  for (const key of [...given.keys()].filter(key => key.startsWith(`${name}[`))) {
    const path = key.slice(name.length + 1, -1).split('][')
    const texts = take(given, key, `${field}.${path.join('.')}`)
    const [first = ''] = key.slice(name.length + 1).split(']')
    const fault = new Unreadable(`${field}.${first}`, `must be given as "${name}[name]=value"`)
    const isNested = /^(?:\[[^[\]]*\])+$/.test(key.slice(name.length)) && path.length <= maxDepth
    if (!isNested || texts === undefined) throw fault
    // Several programs write a list as `year[list][]=a`.
    if (path.length > 1 && path.at(-1) === '') path.pop()
    const last = path.pop() ?? ''
    let [target, holder] = [object, type]
    for (const step of path) {
      const found = typeOf(holder, step)
      const inner = found === 'any' ? anyObject : found
      if (typeof inner !== 'object' || !('object' in inner)) throw fault
      holder = inner
      const next = own(target, step) ?? {}
      if (!isRecord(next)) throw fault
      setMember(target, step, next)
      target = next
    }
    setMember(target, last, readMember(holder, last, texts))
  }
  return Object.keys(object).length > 0 ? object : undefined
}
