import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Later } from '../../../server/store/harness.ts'
import { entriesIn } from './exported-entries.ts'

/** A request that a receiver got. */
export interface Arrival {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A receiver of the lines of sinks on loopback. */
export interface LineReceiver {
  /** The address, without a path. */
  readonly url: string
  /** The requests in the order of their arrival. */
  readonly arrivals: Arrival[]
  /** Answers a request; at first with status 200 and no body. */
  answer: (response: ServerResponse, arrival: Arrival) => void
}

/** Starts a receiver; `later` ends it. */
export async function lineReceiver(later: Later): Promise<LineReceiver> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  const receiver: LineReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    answer: response => void response.writeHead(200).end(),
  }
  server.on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    // A request whose sender was killed has no end.
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const arrival = { path: request.url ?? '', headers: request.headers, text }
      receiver.arrivals.push(arrival)
      receiver.answer(response, arrival)
    })
  })
  return receiver
}

/** Lets a receiver answer with a status. */
export function answerWith(receiver: LineReceiver, status: number): void {
  receiver.answer = response => void response.writeHead(status).end()
}

/** Returns the texts that arrived at a path, by the ids of their batches in the order of the first arrivals. */
export function batchesAt({ arrivals }: LineReceiver, path: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { headers, path: at, text } of arrivals) {
    if (at !== path) continue
    const id = String(headers['x-ninefold-batch'])
    found.set(id, (found.get(id) ?? new Set()).add(text))
  }
  return found
}

interface OtlpLogs {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly { readonly body: { readonly stringValue: string } }[]
    }[]
  }[]
}

/** Returns the lines in the text of a request to a webhook or to a receiver of OTLP. */
export function linesOf(text: string): readonly string[] {
  if (!text.startsWith('{"resourceLogs"')) return entriesIn(text).map(({ line }) => line)
  const { resourceLogs }: OtlpLogs = JSON.parse(text)
  return resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords.map(({ body }) => body.stringValue)),
  )
}
