import { dispatcher } from '../../../runtime/call.ts'
import type { DispatcherOptions } from '../../../runtime/call.ts'
import type { LogEntry } from '../../../runtime/outcome.ts'
import { JsonText } from '../../../runtime/json.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import type { DocumentHandlers, DocumentOperationHandlers } from '../../golden/media-types/output/handlers.ts'
import { documentRoutes } from '../../golden/media-types/output/routes.ts'
import type { Row, ParsedUploadRequest } from '../../golden/media-types/output/types.ts'

/** A source that produces values while they are read; `ended` resolves when the reader stops. */
export class Producer {
  produced = 0
  readonly ended: Promise<void>
  #end = (): void => {}

  constructor() {
    this.ended = new Promise(resolve => (this.#end = resolve))
  }

  async *rows(unit: string): AsyncGenerator<Row, void, undefined> {
    try {
      for (;;) yield { n: (this.produced += 1), unit }
    } finally {
      this.#end()
    }
  }
}

/** A gate that a test opens. */
export class Gate {
  readonly opened: Promise<void>
  open = (): void => {}

  constructor() {
    this.opened = new Promise(resolve => (this.open = resolve))
  }
}

/** A service whose handlers return their requests; the parameter `how` selects the behaviour of item streams. */
export interface MediaService {
  readonly dispatch: Dispatch
  readonly producer: Producer
  /** The gate that `how=gated` awaits after its first item, and `how=late` before any item. */
  readonly gate: Gate
  /** Resolves when the handler of an import has read the first item. */
  readonly taken: Promise<void>
  /** Resolves with the entry of the next call that ends. */
  logged(): Promise<LogEntry>
}

export function mediaService(options: Partial<DispatcherOptions> = {}): MediaService {
  const producer = new Producer()
  const gate = new Gate()
  const taken = new Gate()
  const log: LogEntry[] = []
  let wake = (): void => {}
  const dispatch = dispatcher({
    routes: documentRoutes(handlersOf(producer, gate, taken)),
    doors: { authenticate: async () => undefined, authorize: async () => undefined },
    clock: { now: () => 0, newId: () => 'id' },
    domains: { outside: { name: 'media' } },
    log: entry => {
      log.push(entry)
      wake()
    },
    ...options,
  })
  const logged = async (): Promise<LogEntry> => {
    for (let entry = log.shift(); ; entry = log.shift()) {
      if (entry) return entry
      await new Promise<void>(resolve => (wake = resolve))
    }
  }
  return { dispatch, producer, gate, taken: taken.opened, logged }
}

/** The text of an item that exceeds the buffers of a socket. */
const wide = 'x'.repeat(65_536)

function handlersOf(producer: Producer, gate: Gate, taken: Gate): DocumentHandlers {
  const streams: Readonly<Record<string, () => AsyncIterable<Row | JsonText<Row>>>> = {
    async *few() {
      yield { n: 1, unit: 'ä\n€' }
      yield new JsonText('{"n":\n2}')
    },
    async *none() {},
    endless: () => producer.rows(wide),
    async *gated() {
      yield { n: 1, unit: '' }
      await gate.opened
      yield { n: 2, unit: '' }
    },
    async *late() {
      await gate.opened
    },
    async *broken() {
      yield { n: 1, unit: '' }
      throw new Error('disk error')
    },
    async *circular() {
      const row = { n: 1, unit: '' }
      yield Object.assign(row, { row })
    },
  }
  const stream = (how = 'few') => streams[how]?.() ?? streams.few?.() ?? producer.rows('')
  return {
    document: { ...forms, importRows: imported(taken), exportRows: async ({ how }) => stream(how), ...events(stream) },
  }
}

const forms: Pick<DocumentOperationHandlers, 'makeToken' | 'addAlbum' | 'upload'> = {
  async makeToken({ body }) {
    return { ...body }
  },
  async addAlbum({ draft, body: { photos, cover, ...rest } }) {
    const shown = await Promise.all(photos.map(fileOf))
    return { draft, ...rest, photos: shown, ...(cover && { cover: await fileOf(cover) }) }
  },
  async upload({ body }) {
    return { contentType: body.contentType, body: await contentOf(body) }
  },
}

const imported =
  (taken: Gate): DocumentOperationHandlers['importRows'] =>
  async ({ body }) => {
    if (body === undefined) return { rows: 'none' }
    const rows: Row[] = []
    for await (const row of body) {
      taken.open()
      if (row.n === 99) return { left: true }
      rows.push(row)
    }
    return { rows }
  }

const fileOf = async (file: Blob & { readonly name?: string }) => ({
  name: file.name,
  type: file.type,
  bytes: [...new Uint8Array(await file.arrayBuffer())].slice(0, 8),
  isFile: file instanceof File,
})

async function contentOf(body: ParsedUploadRequest['body']): Promise<unknown> {
  if (body.contentType === 'multipart/form-data') return fileOf(body.body.file)
  if (!(body.body instanceof ReadableStream)) return body.body
  return [...new Uint8Array(await new Response(body.body).arrayBuffer())]
}

const events = (
  stream: (how?: string) => AsyncIterable<Row | JsonText<Row>>,
): Pick<DocumentOperationHandlers, 'readTicks' | 'readLog' | 'readChanges'> => ({
  async readTicks(request) {
    return stream(request.how)
  },
  async readLog() {
    async function* lines() {
      yield 'one\ntwo'
      yield ''
      yield ' three'
    }
    return { status: 200, body: lines(), headers: { 'X-Log': 'yes' } }
  },
  async readChanges() {
    async function* changes() {
      yield { id: '7', event: 'made', retry: 10, data: { n: 1 } }
      yield { data: { n: 2 } }
    }
    return changes()
  },
})
