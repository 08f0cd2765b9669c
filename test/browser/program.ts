import { ApiError } from '../../runtime/errors.ts'
import { createTransport } from '../../runtime/transport.ts'
import { NotesClient } from '../golden/notes/output/client.ts'

/** The calls of a page with a generated client; each step returns a result that JSON can represent. */
const steps = {
  async create() {
    const note = await notes.createNote({ body: { text: 'buy milk', colour: 'GREEN' } })
    return { text: note.text, hasId: note.id !== undefined }
  },

  async list() {
    const { notes: page, next_page_token: token } = await notes.listNotes({ page_size: 2, filter: 'colour = YELLOW' })
    return { texts: page.map(({ text }) => text), hasMore: token !== '' }
  },

  async iterate() {
    const texts: string[] = []
    for await (const { text } of notes.iterateNotes({ page_size: 2, filter: 'colour = YELLOW' })) texts.push(text)
    return texts
  },

  fieldError: () => failure(notes.createNote({ body: { text: '' } })),

  declaredError: () => failure(notes.getNote({ id: 'a/b:c%2F é' })),

  async abort() {
    const controller = new AbortController()
    const call = notes.getNote({ id: 'slow' }, { signal: controller.signal })
    await fetch('/waiting')
    controller.abort()
    return call.then(
      () => 'answered',
      (error: unknown) => error instanceof DOMException && error.name,
    )
  },

  deadline: () => failure(notes.getNote({ id: 'slow' }, { timeoutMs: 100 })),

  async retry() {
    const note = await notes.createNote({ body: { text: 'after 503' } })
    return note.text
  },

  async upload() {
    const file = new Blob([new Uint8Array(300_000).fill(1), 'end'])
    const { attachment_bytes } = await notes.uploadAttachment({ id: 'kept', body: file })
    return attachment_bytes
  },

  async download() {
    const stream = await notes.downloadAttachment({ id: 'kept' })
    const text = await new Response(stream).text()
    return { bytes: text.length, end: text.slice(-3) }
  },

  declaredErrorOfUpload: () => failure(notes.uploadAttachment({ id: 'kept', body: new Uint8Array(500_000) })),

  connectionLost: () => failure(elsewhere.getNote({ id: 'x' })),
}

/** The results of the steps, keyed by step, which a test compares. */
export type Report = Readonly<Record<keyof typeof steps, unknown>>

const notes = new NotesClient(createTransport({ baseUrl: '' }))
// Browsers refuse to connect to this port.
const elsewhere = new NotesClient(createTransport({ baseUrl: 'http://127.0.0.1:1', retries: 0 }))

async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answered: await call }
  } catch (error) {
    if (!(error instanceof ApiError)) return String(error)
    const { reason, rpc, metadata, details, response } = error
    return { reason, rpc, metadata, details, status: response?.status, hasRequestId: response?.requestId !== undefined }
  }
}

const report: Record<string, unknown> = {}
for (const [name, step] of Object.entries(steps)) {
  report[name] = await step().catch((error: unknown) => `failed: ${error}`)
}
await fetch('/report', { method: 'POST', body: JSON.stringify(report) })
