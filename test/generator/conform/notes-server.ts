import type { HttpAnswer, RequestSender, Request } from '../../../generator/conform/call.ts'
import { isObject } from '../../../generator/conform/json.ts'

/** The deliberate faults of a server: a rule that the server does not enforce, and a final change of every response. */
export interface NotesFaults {
  readonly without?: NotesRule
  readonly change?: (answer: HttpAnswer, request: Request) => HttpAnswer | Promise<HttpAnswer>
}

/** The names of the rules of notes.yaml and of the conventions about requests. */
export const notesRules = [
  'path id: format',
  'query: known names',
  'query: given once',
  'page_size: integer',
  'page_size: minimum',
  'dry_run: boolean',
  'X-Source: required',
  'X-Source: maxLength',
  'body: required',
  'body: content type',
  'body: JSON',
  'body: object',
  'body: known members',
  'title: required',
  'title: type',
  'title: not null',
  'title: minLength',
  'title: maxLength',
  'title: pattern',
  'stars: required',
  'stars: type',
  'stars: minimum',
  'stars: maximum',
  'stars: integer',
  'color: enum',
  'color: unspecified',
  'due: format',
  'place: object',
  'place.city: required',
  'place.city: type',
  'place: known members',
  'tags: list',
  'tags: maxItems',
  'tags: uniqueItems',
  'tags[]: maxLength',
  'labels: maxProperties',
  'labels: keys',
  'labels: values',
  'secret: type',
  'filter: fields',
  'filter: literals',
  'order_by: fields',
  'page_token: signature',
  'page_token: same query',
  'update_mask: fields',
  'update: required members',
] as const
export type NotesRule = (typeof notesRules)[number]

const note = { id: '0199c5a4-3b7e-7c21-9d4f-5a6b7c8d9e01', title: 'to do', stars: 3, time: '2026-01-15T09:30:00.000Z' }
const other = { ...note, id: '0199c5a4-3b7e-7c21-9d4f-5a6b7c8d9e02', title: 'to read' }

/** The path parameters of a note that exists. */
export const existingNote = { id: note.id }

export const notesToken = 'Bearer secret'

interface Incoming {
  readonly request: Request
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** Makes a handwritten server of notes.yaml. */
export function notesServer({ without, change = answer => answer }: NotesFaults = {}): RequestSender {
  return async request => {
    const { pathname, searchParams } = new URL(request.target, 'http://notes')
    const incoming = { request, path: pathname, query: searchParams, body: bodyOf(request) }
    return change(answered(incoming, without), request)
  }
}

function answered(incoming: Incoming, without: NotesRule | undefined): HttpAnswer {
  const { request, path } = incoming
  const isOne = path !== '/notes'
  const methods = isOne ? ['GET', 'PATCH'] : ['GET', 'POST']
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (!methods.includes(method))
    return { ...refused(405, 'ROUTE_NOT_FOUND', []), headers: { ...json, allow: methods.join(', ') } }
  if (!isOne || method !== 'GET') {
    if (request.headers['authorization'] === undefined) return keptOut('TOKEN_MISSING')
    if (request.headers['authorization'] !== notesToken) return keptOut('TOKEN_INVALID')
  }
  const faults = new Rules(without)
  judgeQuery(incoming, `${method} ${isOne ? 'one' : 'all'}`, faults)
  if (isOne) faults.rule('path id: format', !/^[\da-f-]{36}$/.test(path.slice(7)), 'id')
  if (method === 'POST' || method === 'PATCH') judgeBody(incoming, method === 'PATCH', faults)
  if (faults.fields.length > 0) return refused(400, faults.reason, faults.fields)
  const answer = handled(incoming, method, isOne, faults)
  return request.method === 'HEAD' ? { ...answer, body: '' } : answer
}

function handled({ body, path, query }: Incoming, method: string, isOne: boolean, faults: Rules): HttpAnswer {
  if (!isOne && method === 'GET') {
    const page =
      query.get('page_size') === '1'
        ? { notes: [note], next_page_token: 'size1' }
        : { notes: [note, other], next_page_token: '' }
    return ok(page)
  }
  if (isOne && path.slice(7) !== note.id) return refused(404, 'NOTE_NOT_FOUND', [])
  const members = isObject(body) ? body : {}
  const mask = query.get('update_mask') ?? ''
  for (const name of method === 'PATCH' && (mask === '' || mask === '*') ? ['title', 'stars'] : []) {
    faults.rule('update: required members', members[name] === undefined, name)
  }
  if (faults.fields.length > 0) return refused(400, faults.reason, faults.fields)
  const { id: _id, secret: _secret, time: _time, ...given } = members
  return ok({ ...note, ...(isOne && method === 'GET' ? {} : given) })
}

const queryNames: Readonly<Record<string, readonly string[]>> = {
  'GET all': ['page_size', 'page_token', 'filter', 'order_by'],
  'POST all': ['dry_run'],
  'GET one': [],
  'PATCH one': ['update_mask'],
}

function judgeQuery({ query, request }: Incoming, operation: string, faults: Rules): void {
  for (const name of new Set(query.keys())) {
    if (queryNames[operation]?.includes(name)) faults.rule('query: given once', query.getAll(name).length > 1, name)
    else faults.rule('query: known names', true, name)
  }
  const size = query.get('page_size')
  if (size !== null) {
    faults.rule('page_size: integer', !/^-?\d+$/.test(size), 'page_size')
    faults.rule('page_size: minimum', /^-\d+$/.test(size), 'page_size')
  }
  faults.rule('dry_run: boolean', !['true', 'false'].includes(query.get('dry_run') ?? 'true'), 'dry_run')
  if (operation === 'POST all') {
    const source = request.headers['x-source']
    faults.rule('X-Source: required', source === undefined, 'X-Source')
    faults.rule('X-Source: maxLength', (source ?? '').length > 8, 'X-Source')
  }
  if (faults.fields.length === 0) judgeList(query, faults)
}

function judgeList(query: URLSearchParams, faults: Rules): void {
  const filter = query.get('filter') ?? ''
  const isKnown =
    /^(title:\*|stars:\*|title =|stars [=>]|)/.test(filter) && !/^(\(|AND|word|x_|title <|stars <)/.test(filter)
  faults.rule('filter: fields', !isKnown, 'filter', 'FILTER_INVALID')
  faults.rule('filter: literals', filter.startsWith('stars = text'), 'filter', 'FILTER_INVALID')
  const order = query.get('order_by') ?? ''
  faults.rule('order_by: fields', !/^(title( desc)?)?$/.test(order), 'order_by', 'ORDER_BY_INVALID')
  const token = query.get('page_token') ?? ''
  faults.rule('page_token: signature', !['', 'size1'].includes(token), 'page_token', 'PAGE_TOKEN_INVALID')
  const isOther = token === 'size1' && query.get('page_size') !== '1'
  faults.rule('page_token: same query', isOther, 'page_token', 'PAGE_TOKEN_INVALID')
  const names = (query.get('update_mask') ?? '').split(',')
  const isMask = names.every(name =>
    ['', 'title', 'stars', 'color', 'due', 'place', 'tags', 'labels', 'secret'].includes(name),
  )
  const isWhole = names.join() === '' || names.join() === '*'
  faults.rule('update_mask: fields', !isWhole && (!isMask || names.includes('')), 'update_mask', 'UPDATE_MASK_INVALID')
}

/** The value of a body that is not JSON. */
const unreadable = Symbol('unreadable')

function bodyOf({ body }: Request): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body)
  } catch {
    return unreadable
  }
}

function judgeBody({ body, request }: Incoming, isUpdate: boolean, faults: Rules): void {
  if (body === undefined) return faults.rule('body: required', true, 'body')
  if (body === unreadable) return faults.rule('body: JSON', true, 'body')
  faults.rule('body: content type', request.headers['content-type'] !== 'application/json', 'body')
  if (!isObject(body)) return faults.rule('body: object', true, '')
  const names = ['id', 'title', 'stars', 'color', 'due', 'place', 'tags', 'labels', 'secret', 'time']
  for (const name of Object.keys(body)) faults.rule('body: known members', !names.includes(name), name)
  judgeTitle(body['title'], isUpdate, faults)
  judgeStars(body['stars'], isUpdate, faults)
  judgeRest(body, faults)
}

function judgeTitle(title: unknown, isUpdate: boolean, faults: Rules): void {
  if (title === undefined) return faults.rule('title: required', !isUpdate, 'title')
  if (title === null) return faults.rule('title: not null', true, 'title')
  if (typeof title !== 'string') return faults.rule('title: type', true, 'title')
  faults.rule('title: minLength', title.length < 2, 'title')
  faults.rule('title: maxLength', title.length > 12, 'title')
  faults.rule('title: pattern', !/^[a-z ]*$/.test(title), 'title')
}

function judgeStars(stars: unknown, isUpdate: boolean, faults: Rules): void {
  if (stars === undefined) return faults.rule('stars: required', !isUpdate, 'stars')
  if (typeof stars !== 'number') return faults.rule('stars: type', true, 'stars')
  faults.rule('stars: minimum', stars < 1, 'stars')
  faults.rule('stars: maximum', stars > 5, 'stars')
  faults.rule('stars: integer', stars % 1 !== 0, 'stars')
}

function judgeRest(
  { color, due, labels, place, secret, tags }: Readonly<Record<string, unknown>>,
  faults: Rules,
): void {
  faults.rule('color: unspecified', color === 'COLOR_NONE', 'color')
  faults.rule(
    'color: enum',
    color !== undefined && !['COLOR_NONE', 'COLOR_RED', 'COLOR_BLUE'].includes(String(color)),
    'color',
  )
  faults.rule('due: format', due !== undefined && !/^\d{4}-\d{2}-[012]\d$/.test(String(due)), 'due')
  faults.rule('secret: type', secret !== undefined && typeof secret !== 'string', 'secret')
  if (isObject(place)) {
    faults.rule('place.city: required', place['city'] === undefined, 'place.city')
    faults.rule('place.city: type', place['city'] !== undefined && typeof place['city'] !== 'string', 'place.city')
    for (const name of Object.keys(place)) faults.rule('place: known members', name !== 'city', `place.${name}`)
  } else faults.rule('place: object', place !== undefined, 'place')
  if (Array.isArray(tags)) judgeTags(tags, faults)
  else faults.rule('tags: list', tags !== undefined, 'tags')
  if (isObject(labels)) judgeLabels(labels, faults)
  else if (labels !== undefined) faults.rule('labels: values', true, 'labels')
}

function judgeTags(tags: readonly unknown[], faults: Rules): void {
  faults.rule('tags: maxItems', tags.length > 2, 'tags')
  if (tags.length <= 2) faults.rule('tags: uniqueItems', new Set(tags).size < tags.length, 'tags[1]')
  for (const [i, tag] of tags.entries()) {
    faults.rule('tags[]: maxLength', typeof tag !== 'string' || tag.length > 4, `tags[${i}]`)
  }
}

function judgeLabels(labels: Readonly<Record<string, unknown>>, faults: Rules): void {
  const entries = Object.entries(labels)
  faults.rule('labels: maxProperties', entries.length > 2, 'labels')
  for (const [key, value] of entries.length > 2 ? [] : entries) {
    const isName = /^[\w$-]+$/.test(key)
    faults.rule('labels: keys', !/^[a-z]+$/.test(key), isName ? `labels.${key}` : `labels[${JSON.stringify(key)}]`)
    faults.rule('labels: values', typeof value !== 'string', `labels.${key}`)
  }
}

class Rules {
  readonly fields: string[] = []
  reason = 'FIELD_INVALID'
  readonly #without: NotesRule | undefined

  constructor(without: NotesRule | undefined) {
    this.#without = without
  }

  rule(name: NotesRule, isBroken: boolean, field: string, reason = 'FIELD_INVALID'): void {
    if (!isBroken || name === this.#without) return
    this.fields.push(field)
    this.reason = reason
  }
}

const codes: Readonly<Record<string, readonly [code: string, rpc: number]>> = {
  FIELD_INVALID: ['1000010', 3],
  UPDATE_MASK_INVALID: ['1000012', 3],
  FILTER_INVALID: ['1000013', 3],
  ORDER_BY_INVALID: ['1000014', 3],
  PAGE_TOKEN_INVALID: ['1000015', 3],
  ROUTE_NOT_FOUND: ['1000009', 5],
  NOTE_NOT_FOUND: ['1001001', 5],
}

const json = {
  'content-type': 'application/json',
  'x-request-id': 'request-1',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
}

const ok = (value: unknown): HttpAnswer => ({ status: 200, headers: json, body: JSON.stringify(value) })

function refused(status: number, reason: string, fields: readonly string[]): HttpAnswer {
  const [code = '2000101', rpc = 16] = codes[reason] ?? []
  const domain = Object.hasOwn(codes, reason) ? 'notes' : 'iam'
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata: { code } }
  const violations = fields.map(field => ({ field, description: 'is wrong' }))
  const bad = { '@type': 'type.googleapis.com/google.rpc.BadRequest', field_violations: violations }
  return {
    status,
    headers: json,
    body: JSON.stringify({ code: rpc, message: reason, details: fields.length > 0 ? [info, bad] : [info] }),
  }
}

const keptOut = (reason: string): HttpAnswer => {
  const answer = refused(401, reason, [])
  return { ...answer, headers: { ...json, 'www-authenticate': 'Bearer' } }
}
