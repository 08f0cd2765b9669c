import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { WireRequest } from '../../../runtime/wire.ts'
import type { Group } from './in-process.ts'
import { median } from './rounds.ts'
import { greeting, trivialService } from './trivial-service.ts'

const path = '/made/v1/greetings/g'

/**
 * Returns the contenders of a call without a network: the costs of routing, checks, headers and logging apart from the
 * handler.
 */
export function dispatchGroup(): Group {
  const dispatch = trivialService()
  const request: WireRequest = {
    method: 'GET',
    target: path,
    headers: { host: '127.0.0.1', accept: 'application/json' },
    body: undefined,
    signal: new AbortController().signal,
    clientAddress: '127.0.0.1',
  }
  return {
    title: 'a call with a handler that does nothing',
    contenders: [
      { name: 'an async function that answers JSON', units: 1, run: async () => JSON.stringify(greeting) },
      { name: 'dispatcher', units: 1, run: () => dispatch(request) },
    ],
  }
}

const rounds = 7
const callsPerRound = 4000
const connections = 16

/**
 * Returns the CPU time of a server thread for one call over loopback, in nanoseconds: with node:http alone, then with
 * host and dispatcher.
 */
export async function hostRows(): Promise<readonly (readonly [name: string, nanoseconds: number])[]> {
  const servers = await Promise.all(['bare', 'host'].map(start))
  try {
    const spent = servers.map((): number[] => [])
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, server] of servers.entries()) {
        const before = await server.cpu()
        await load(server.port)
        const nanoseconds = ((await server.cpu()) - before) / callsPerRound
        if (round > 0) spent[index]?.push(nanoseconds)
      }
    }
    const [bare = [], host = []] = spent
    return [
      ['node:http, an answer of the same bytes', median(bare)],
      ['nodeHost and dispatcher', median(host)],
    ]
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

async function start(kind: string) {
  const worker = new Worker(new URL('./http-worker.ts', import.meta.url), { workerData: kind })
  const [address]: { readonly port: number }[] = await once(worker, 'message')
  const { port = 0 } = address ?? {}
  return {
    port,
    async cpu(): Promise<number> {
      worker.postMessage('cpu')
      const [nanoseconds]: number[] = await once(worker, 'message')
      return nanoseconds ?? Number.NaN
    },
    stop: () => worker.terminate(),
  }
}

/** Sends `callsPerRound` requests on several connections; each connection sends the next request after the response. */
async function load(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = callsPerRound
  const ask = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await call(agent, port)
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  agent.destroy()
}

function call(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ agent, port, host: '127.0.0.1', path }, response => {
      response.resume()
      response.on('end', resolve)
    }).on('error', reject)
  })
}
