import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { compress } from 'snappyjs'
import { attribute, requestOf } from '../../ingest/decoding.ts'
import { encoded } from '../../ingest/encoded-messages.ts'

/** The names of the series that each push has a sample of. */
export const pushedNames = ['load_a', 'load_b', 'load_c'] as const

/** The parts of a sender. */
export interface SenderParts {
  /** The value of the label `sender` of all series. */
  readonly name: string
  /** The time of the first push, in milliseconds since 1970; each push is a second after the one before. */
  readonly firstMs: number
  /** Sends a body to the server in its form, and returns the answer. */
  readonly send: (body: Uint8Array<ArrayBuffer>, form: Form) => Promise<Response>
  /** Called after each push that the server has acknowledged. */
  readonly acknowledged: () => void
}

/** A form of pushes. */
export interface Form {
  readonly path: '/v1/metrics' | '/api/v1/write'
  readonly headers: Readonly<Record<string, string>>
  readonly body: (name: string, timeMs: number, value: number) => Uint8Array
}

const protobuf = 'application/x-protobuf'

/** Returns a request of OTLP with one sample of each name. */
const otlpRequest = (sender: string, timeMs: number, value: number) =>
  requestOf(
    pushedNames.map(name => ({
      name,
      gauge: {
        dataPoints: [{ timeUnixNano: `${timeMs}000000`, asDouble: value, attributes: [attribute('sender', sender)] }],
      },
    })),
  )

/** The forms of pushes, one for each sender. */
export const forms: readonly Form[] = [
  {
    path: '/v1/metrics',
    headers: { 'content-type': 'application/json' },
    body: (...sample) => new TextEncoder().encode(JSON.stringify(otlpRequest(...sample))),
  },
  {
    path: '/v1/metrics',
    headers: { 'content-type': protobuf, 'content-encoding': 'gzip' },
    body: (...sample) => gzipSync(encoded('ExportMetricsServiceRequest', otlpRequest(...sample))),
  },
  {
    path: '/api/v1/write',
    headers: { 'content-type': protobuf, 'content-encoding': 'snappy' },
    body(sender, timeMs, value) {
      const timeseries = pushedNames.map(name => ({
        labels: [
          { name: '__name__', value: name },
          { name: 'sender', value: sender },
        ],
        samples: [{ value, timestamp: String(timeMs) }],
      }))
      return compress(new Uint8Array(encoded('WriteRequest', { timeseries })))
    },
  },
]

/** The wait before a push is sent again, in milliseconds. */
const againMs = 20

/** A sender that pushes a sample of three series at a time; the value of the samples is the number of the push. */
export class KilledSender {
  /** The numbers of the pushes that the server has acknowledged. */
  readonly acknowledged = new Set<number>()
  /** The numbers of the pushes whose answer was lost, and that were not sent again. */
  readonly given = new Set<number>()
  /** The answers that no server may give. */
  readonly faults: string[] = []
  readonly name: string
  readonly #parts: SenderParts
  readonly #form: Form
  #next = 0

  constructor(parts: SenderParts, form: Form) {
    this.name = parts.name
    this.#parts = parts
    this.#form = form
  }

  /** Returns the time of a push in milliseconds since 1970. */
  timeOf(push: number): number {
    return this.#parts.firstMs + push * 1000
  }

  /** Makes one push: sends it until it is acknowledged. Every other push whose answer is lost is not sent again. */
  async step(): Promise<void> {
    const push = this.#next++
    const body = new Uint8Array(this.#form.body(this.name, this.timeOf(push), push))
    for (;;) {
      const status = await this.#send(body)
      if (status === 200 || status === 204) {
        this.acknowledged.add(push)
        this.#parts.acknowledged()
        return
      }
      if (status === undefined && push % 2 === 0) {
        this.given.add(push)
        return
      }
      await sleep(againMs)
    }
  }

  /** Returns the status of an answer; undefined if none came. */
  async #send(body: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
    try {
      const response = await this.#parts.send(body, this.#form)
      const text = await response.text()
      const isWhole = response.status < 300 && (text === '' || text === '{}')
      // A server that has just started does not have the lease of the telemetry yet.
      if (!isWhole && response.status !== 503) this.faults.push(`${response.status} ${text.slice(0, 200)}`)
      return response.status
    } catch {
      return undefined
    }
  }
}
