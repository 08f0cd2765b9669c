import { createHmac } from 'node:crypto'
import { bind, bindList } from '../../runtime/bind.ts'
import { plainText, rawBytes } from '../../runtime/body.ts'
import type { Bytes } from '../../runtime/body.ts'
import { dispatcher } from '../../runtime/call.ts'
import type { DispatcherOptions } from '../../runtime/call.ts'
import type { LogEntry } from '../../runtime/outcome.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { Doors } from '../../runtime/doors.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Fields } from '../../runtime/field-mask.ts'
import { JsonText } from '../../runtime/json.ts'
import { pageTokens } from '../../runtime/page-token.ts'
import { listInMemory, listParameters } from '../../runtime/pagination.ts'
import type { ListParameters } from '../../runtime/pagination.ts'
import type { BoundRoute, Reply, Route } from '../../runtime/route.ts'
import { closed, integer, isRecord, nested, required, text } from '../../runtime/validation.ts'
import type { Faults } from '../../runtime/validation.ts'
import { route } from './routes.ts'

/**
 * The resource of a small handwritten service in the form of generated code: a list, a create, an update, bytes both
 * ways, replies with several statuses, and an operation that fails in every way.
 */
export interface Thing {
  readonly name: string
  readonly size: number
}

const thingMembers = ['name', 'size', 'list']

function checkThing(value: unknown, faults: Faults): value is Thing {
  if (!isRecord(value)) return faults.add('', 'must be an object')
  const before = faults.count
  closed(value, faults, thingMembers)
  text(value.name, 'name', faults, 1, 20)
  if (value.size !== undefined) integer(value.size, 'size', faults, 0, 100)
  return faults.count === before
}

function checkThingUpdate(value: unknown, faults: Faults): value is Partial<Thing> {
  if (!isRecord(value)) return faults.add('', 'must be an object')
  return value.size === undefined || integer(value.size, 'size', faults, 0, 100)
}

/** Makes the check of a request with text parameters and a body, which `check` checks. */
const withBody =
  <Body>(check: (value: unknown, faults: Faults) => value is Body, ...texts: readonly string[]) =>
  (request: unknown, faults: Faults): request is { body: Body } => {
    if (!isRecord(request)) return faults.add('', 'must be an object')
    const before = faults.count
    for (const name of texts) if (required(request[name], name, faults)) text(request[name], name, faults, 1)
    if (required(request.body, 'body', faults)) nested(request.body, 'body', faults, check)
    return faults.count === before
  }

const isText = (value: unknown, faults: Faults): value is string => text(value, '', faults, 1)
const isStream = (value: unknown, faults: Faults): value is Bytes =>
  value instanceof ReadableStream || faults.add('', 'must be bytes')

const thingFields: Fields = { name: { behavior: 'immutable', required: true }, size: { default: 1 } }
const json = { type: 'application/json', kind: 'json', required: true } as const

export const listThings: Route<ListParameters & { kind?: string }, unknown> = {
  ...route('GET', ['/made/v1/things'], { operationId: 'listThings' }),
  parameters: [...listParameters, { name: 'kind', in: 'query', type: 'string' }],
  list: {
    member: 'things',
    fields: {
      fields: [
        { name: 'name', type: 'STRING', operators: ['=', '!='], sortable: true },
        { name: 'size', type: 'INTEGER', operators: ['=', '>', '<'], sortable: true },
      ],
      defaultOrder: 'name asc',
      key: 'name',
    },
  },
  check: (request, faults): request is ListParameters =>
    isRecord(request) && (request.page_size === undefined || integer(request.page_size, 'page_size', faults, 0)),
}

const createThing: Route<{ body: Thing }, Thing> = {
  ...route('POST', ['/made/v1/things'], { operationId: 'createThing', mode: 'sync' }),
  body: json,
  check: withBody(checkThing),
  complete: request => ({ ...request, body: { ...request.body, size: request.body.size ?? 1 } }),
}

const updateThing: Route<{ body: Partial<Thing>; update_mask?: string }, unknown> = {
  ...route('PATCH', ['/made/v1/things/', 'id'], { operationId: 'updateThing' }),
  parameters: [
    { name: 'id', in: 'path', type: 'string' },
    { name: 'update_mask', in: 'query', type: 'string' },
  ],
  body: json,
  fields: thingFields,
  check: withBody(checkThingUpdate, 'id'),
}

const path = (name: string) => [{ name, in: 'path', type: 'string' }] as const

const getThing: Route<{ id: string }, unknown> = {
  ...route('GET', ['/made/v1/things/', 'id'], { operationId: 'getThing' }),
  parameters: path('id'),
}

const startThing: Route<{ id: string }, unknown> = {
  ...route('POST', ['/made/v1/things/', 'id', ':start'], { operationId: 'startThing' }),
  parameters: path('id'),
}

const deleteThing: Route<object, undefined> = {
  ...route('DELETE', ['/made/v1/things/', 'id'], { operationId: 'deleteThing' }),
  parameters: path('id'),
  success: [{ status: 204 }],
}

const upload: Route<{ body: Bytes }, unknown> = {
  ...route('PUT', ['/files/', 'name'], { operationId: 'upload' }),
  parameters: path('name'),
  body: { type: 'application/octet-stream', kind: rawBytes, required: true },
  check: withBody(isStream, 'name'),
}

const download: Route<{ name: string }, Bytes> = {
  ...route('GET', ['/files/', 'name'], { operationId: 'download' }),
  parameters: path('name'),
  success: [{ status: 200, type: 'application/octet-stream', kind: rawBytes }],
}

const note: Route<{ body: string }, string> = {
  ...route('POST', ['/notes'], { operationId: 'note' }),
  body: { type: 'text/plain', kind: plainText, required: true },
  success: [{ status: 200, type: 'text/plain', kind: plainText }],
  check: withBody(isText),
}

type JobReply = Reply<number, unknown, Readonly<Record<string, unknown>> | undefined>

const startJob: Route<{ how?: string }, JobReply> = {
  ...route('POST', ['/jobs'], { operationId: 'startJob' }),
  parameters: [{ name: 'how', in: 'query', type: 'string' }],
  replies: true,
  success: [
    { status: 201, type: 'application/vnd.made+json', kind: 'json' },
    { status: '2XX', type: 'application/json', kind: 'json' },
    { status: 304 },
  ],
}

const bareJob = {
  ...route('HEAD', ['/bare-jobs'], { operationId: 'bareJob' }),
  replies: true as const,
  success: [{ status: 200 }],
} as const

const optional: Route<{ body?: Thing }, unknown> = {
  ...route('POST', ['/optional'], { operationId: 'optional' }),
  body: { ...json, required: false },
  check: (request, faults): request is { body?: Thing } =>
    isRecord(request) && (request.body === undefined || nested(request.body, 'body', faults, checkThing)),
}

const fail: Route<{ how: string }, unknown> = {
  ...route('GET', ['/fail/', 'how'], { operationId: 'fail' }),
  parameters: path('how'),
  raises: ['DECLARED', 'other.FOREIGN'],
}

const secret: Route<object, unknown> = {
  ...route('GET', ['/secret'], { operationId: 'secret' }),
  access: { kind: 'authenticated' },
}

const replies: Readonly<Record<string, JobReply>> = {
  created: {
    status: 201,
    body: { id: 1 },
    headers: { Location: '/jobs/1', 'X-Count': 2, 'X-Tags': ['a', 'b'], 'X-None': undefined },
  },
  accepted: { status: 202, body: new JsonText('{"id": 2}'), headers: undefined },
  cookies: {
    status: 202,
    body: {},
    headers: { 'Set-Cookie': ['a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/', 'b=2; Path=/'] },
  },
  cookie: { status: 202, body: {}, headers: { 'set-cookie': 'a=1' } },
  unchanged: { status: 304, body: { ignored: true }, headers: { ETag: '"1"' } },
  undeclared: { status: 302, body: undefined, headers: { Location: '/' } },
  injected: { status: 202, body: {}, headers: { 'X-Count': 'a\r\nSet-Cookie: b=c' } },
}

const failures: Readonly<Record<string, () => unknown>> = {
  declared: () =>
    new ApiError({ reason: 'DECLARED', rpc: 'FAILED_PRECONDITION', code: 7_001_001 }, 'declared', { a: 'b' }),
  foreign: () =>
    new ApiError({ reason: 'FOREIGN', rpc: 'NOT_FOUND', code: 3_001_001, domain: { name: 'other' } }, 'foreign'),
  common: () =>
    new ApiError(
      { reason: 'ENGINE_UNAVAILABLE', rpc: 'UNAVAILABLE', code: 3 },
      'try later',
      {},
      { retryAfterSeconds: 1.2 },
    ),
  door: () =>
    new ApiError(
      { reason: 'IAM_PERMISSION_DENIED', rpc: 'PERMISSION_DENIED', code: 2_000_105, domain: { name: 'iam' } },
      'denied',
    ),
  undeclared: () => new ApiError({ reason: 'SECRET_REASON', rpc: 'NOT_FOUND', code: 7_001_002 }, 'secret text'),
  error: () => new TypeError('secret text'),
  string: () => 'secret text',
  undefined: () => undefined,
  bigint: () => new Error('never thrown'),
}

const wide = new Uint8Array(65_536).fill(7)

/** An endless stream of bytes, which counts its pulls and records its cancellation. */
export class Endless {
  pulled = 0
  stopped = false
  readonly stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: controller => {
        this.pulled += 1
        controller.enqueue(wide)
      },
      cancel: () => {
        this.stopped = true
      },
    },
    { highWaterMark: 0 },
  )

  /** Returns a stream with one chunk, after which the stream neither continues nor ends. */
  silent(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream(
      {
        pull: controller => {
          this.pulled += 1
          if (this.pulled > 1) return new Promise<void>(() => undefined)
          controller.enqueue(wide)
          return undefined
        },
        cancel: () => {
          this.stopped = true
        },
      },
      { highWaterMark: 0 },
    )
  }
}

const downloads: Readonly<Record<string, (made: MadeService) => Bytes>> = {
  'bytes.bin': () => new Uint8Array([0, 255, 254, 13, 10]),
  'blob.bin': () => new Blob([new Uint8Array([0, 255])], { type: 'image/png' }),
  'endless.bin': made => made.endless.stream,
  'silent.bin': made => made.endless.silent(),
  'broken.bin': () =>
    new ReadableStream({ pull: controller => controller.error(new Error('disk error')) }, { highWaterMark: 0 }),
}

export interface MadeService {
  readonly dispatch: ReturnType<typeof dispatcher>
  readonly log: LogEntry[]
  /** Resolves with the entry of a call when the call has been logged; the log is empty again afterwards. */
  logged(): Promise<LogEntry>
  readonly endless: Endless
  /** A promise of the context of a call `POST /made/v1/things/hang:start`, whose handler never ends. */
  readonly hanging: Promise<CallContext>
}

const doors: Doors = {
  async authenticate(request, access) {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    if (token !== undefined) return { id: token, kind: 'user' }
    if (access === undefined) return undefined
    throw new ApiError(
      { reason: 'TOKEN_MISSING', rpc: 'UNAUTHENTICATED', code: 2_000_101, domain: { name: 'iam' } },
      'no token',
    )
  },
  async authorize(context, { operationId }, path) {
    if (path.get('id') === 'forbidden' || (operationId === 'secret' && context.principal?.id !== 'ann'))
      throw failures.door?.()
  },
}

export function madeService(options: Partial<DispatcherOptions> = {}): MadeService {
  const log: LogEntry[] = []
  let wake = (): void => {}
  let hang = (_context: CallContext): void => {}
  const hanging = new Promise<CallContext>(resolve => (hang = resolve))
  let ids = 0
  const made: MadeService = {
    dispatch: request => dispatch(request),
    log,
    async logged() {
      while (log.length === 0) await new Promise<void>(resolve => (wake = resolve))
      const [entry] = log.splice(0)
      if (entry === undefined) throw new Error('nothing was logged')
      return entry
    },
    endless: new Endless(),
    hanging,
  }
  const dispatch = dispatcher({
    routes: madeRoutes(made, context => hang(context)),
    doors,
    tokens: pageTokens(text => createHmac('sha256', 'key').update(text).digest('binary')),
    clock: { now: () => 1_700_000_000_000, newId: () => `id-${(ids += 1)}` },
    domains: { outside: { name: 'ninefold', base: 0 }, areas: [{ name: 'made', base: 7_000_000 }] },
    noStore: ({ operationId }) => operationId === 'secret',
    log: entry => {
      log.push(entry)
      wake()
    },
    ...options,
  })
  return made
}

function madeRoutes(made: MadeService, hang: (context: CallContext) => void): readonly BoundRoute[] {
  const things = Array.from({ length: 45 }, (_, index) => ({ name: `t${String(index).padStart(2, '0')}`, size: index }))
  return [
    bindList(listThings, async (_request, { query }) => {
      const page = listInMemory(things, query)
      return {
        ...page,
        items: page.items.map((item, index) => (index % 2 ? item : new JsonText(JSON.stringify(item)))),
      }
    }),
    bind(createThing, async ({ body }) => body),
    bind(updateThing, async request => request),
    bind(getThing, async (request, { signal: _signal, ...context }) => ({ request, context })),
    bind(startThing, async (request, context) => {
      if (request.id !== 'hang') return { started: request.id }
      hang(context)
      await new Promise((_resolve, reject) =>
        context.signal.addEventListener('abort', () => reject(context.signal.reason)),
      )
      return {}
    }),
    bind(deleteThing, async () => undefined),
    bind(upload, async ({ body }) => {
      if (!(body instanceof ReadableStream)) throw new Error('no stream')
      let length = 0
      for await (const chunk of body) {
        length += chunk.length
        if (chunk[0] === 0xff) return { stoppedAfter: length > 0 }
      }
      return { length }
    }),
    bind(download, async ({ name }) => downloads[name]?.(made) ?? new Uint8Array()),
    bind(note, async ({ body }) => body),
    bind(startJob, async ({ how = '' }) => replies[how] ?? { status: 0, body: undefined, headers: undefined }),
    bind(bareJob, async () => ({ status: 200, headers: { 'Content-Length': 1234, ETag: '"1"' } })),
    bind(optional, async ({ body }) => ({ had: body !== undefined })),
    bind(fail, async ({ how }) => {
      if (how === 'bigint') return { value: 1n }
      throw failures[how]?.()
    }),
    bind(secret, async (_request, context) => ({ secret: context.principal?.id })),
  ]
}
