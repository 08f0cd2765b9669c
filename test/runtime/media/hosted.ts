import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { nodeHost, serverOptions } from '../../../runtime/hosts/node.ts'
import type { Dispatch } from '../../../runtime/wire.ts'

/** A host of a dispatcher, in the view of its callers. */
export interface Hosted extends AsyncDisposable {
  send(method: string, target: string, init?: RequestInit): Promise<Response>
}

export interface Listening extends Hosted {
  readonly baseUrl: string
  /** Opens a connection, which the caller must close. */
  open(): Promise<Socket>
}

/** Hosts a dispatcher over node:http on a free port of 127.0.0.1; returns the host. */
export async function overNode(dispatch: Dispatch): Promise<Listening> {
  const server = createServer(serverOptions, nodeHost(dispatch))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { port } = address
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    send: (method, target, init) => fetch(baseUrl + target, { ...init, method }),
    async open() {
      const socket = connect({ port, host: '127.0.0.1' })
      await new Promise<void>(resolve => socket.once('connect', resolve))
      return socket
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Hosts a dispatcher in this process, with requests and responses of the Fetch standard; returns the host. */
export async function overFetch(dispatch: Dispatch): Promise<Hosted> {
  const handle = fetchHost(dispatch)
  return {
    send: (method, target, init) => handle(new Request(`http://localhost:1${target}`, { ...init, method })),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export const hosts = [
  ['node:http', overNode],
  ['fetch', overFetch],
] as const

/** Returns all items of a stream, once the stream has ended. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Returns a request with a body of these pieces, without a length. */
export function pieces(...parts: readonly (string | Uint8Array<ArrayBuffer>)[]): RequestInit {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of parts) controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part)
      controller.close()
    },
  })
  return Object.assign({ body }, { duplex: 'half' as const })
}

/** Returns the descriptions of a FIELD_INVALID response, keyed by field; throws for any other response. */
export async function faultsOf(answer: Response): Promise<Readonly<Record<string, string>>> {
  const { details }: { details: readonly Record<string, unknown>[] } = await answer.json()
  if (details[0]?.reason !== 'FIELD_INVALID') throw new Error(`not FIELD_INVALID: ${JSON.stringify(details)}`)
  const violations = details[1]?.field_violations
  if (!Array.isArray(violations)) throw new Error('no field is named')
  return Object.fromEntries(violations.map(({ field, description }) => [field, description]))
}
