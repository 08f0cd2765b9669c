import { compress } from 'snappyjs'
import { encoded } from '../../../domain/observability/ingest/encoded-messages.ts'

/** The number of series of one request. */
const seriesOfRequest = 500

/** The time between two samples of a series, in milliseconds. */
const stepMs = 15_000

/** The shape of measured data: series with a sample at each of some steps up to now. */
export interface Load {
  readonly series: number
  readonly steps: number
}

/** Returns the bodies of remote write for each step of a load, the oldest step first. */
export function bodiesOf({ series, steps }: Load): readonly (readonly Buffer[])[] {
  const end = Math.floor(Date.now() / stepMs) * stepMs
  return Array.from({ length: steps }, (_, step) =>
    Array.from({ length: Math.ceil(series / seriesOfRequest) }, (_request, request) => {
      const first = request * seriesOfRequest
      const count = Math.min(seriesOfRequest, series - first)
      const time = end - (steps - 1 - step) * stepMs
      const timeseries = Array.from({ length: count }, (_series, i) => seriesAt(first + i, step, time))
      return Buffer.from(compress(encoded('WriteRequest', { timeseries })))
    }),
  )
}

function seriesAt(number: number, step: number, timestamp: number): object {
  const labels = Object.entries({
    __name__: 'http_requests_total',
    code: number % 7 === 0 ? '500' : '200',
    handler: `/api/v1/resource-${number % 50}`,
    instance: `10.0.0.${number % 200}:9090`,
    job: 'api-server',
    pod: `api-server-${number}`,
    zone: `eu-1${'abc'[number % 3]}`,
  }).map(([name, value]) => ({ name, value }))
  return { labels, samples: [{ value: step * 7 + number + (number % 3) / 2, timestamp }] }
}

/** Pushes bodies to an address of remote write, `concurrent` at a time; the bodies of one step before those of the next. */
export async function pushAll(
  url: string,
  bodies: readonly (readonly Buffer[])[],
  bearer?: string,
  concurrent = 8,
): Promise<void> {
  const headers = {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  }
  for (const step of bodies) {
    const left = [...step]
    const sender = async (): Promise<void> => {
      for (let body = left.pop(); body !== undefined; body = left.pop()) {
        const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
        if (!response.ok) throw new Error(`a push was answered ${response.status}: ${await response.text()}`)
        await response.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: concurrent }, sender))
  }
}
