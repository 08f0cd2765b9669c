import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Later } from '../harness.ts'

/** A proxy between a store and PostgreSQL, which can simulate faults of the network. */
export interface Proxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /**
   * Cuts the connection on which the client sends `text`: before the server receives the text, or after the server has
   * responded.
   */
  cutAt(text: string, when: 'before' | 'after'): void
  /** Discards the server's responses until `down` and then `up` are called. */
  silence(): void
  /** Cuts all connections and refuses new connections. */
  down(): Promise<void>
  up(): Promise<void>
}

/**
 * Starts a proxy in front of the server of `url`; `later` closes the proxy, by default at the end of the running test.
 */
export async function startProxy(url: string, later: Later = onTestFinished): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let cut: { readonly text: string; readonly when: 'before' | 'after' } | undefined
  let isSilent = false

  const open = (client: Socket): void => {
    const server = connect(Number(target.port), target.hostname)
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', data => {
      const isCut = cut !== undefined && data.includes(cut.text)
      if (!isCut) {
        server.write(data)
        return
      }
      const { when } = cut ?? {}
      cut = undefined
      if (when === 'before') end()
      // A response of the server proves that the server has committed.
      else server.removeAllListeners('data').once('data', end).write(data)
    })
    server.on('data', data => void (isSilent || client.write(data)))
  }

  const listen = async (port: number): Promise<Server> => {
    const listener = createServer(open).listen(port, '127.0.0.1')
    await once(listener, 'listening')
    return listener
  }
  const close = (listener: Server): Promise<void> => {
    const closed = new Promise<void>(resolve => listener.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    return closed
  }

  let listener = await listen(0)
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  later(() => close(listener))
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return {
    url: through.href,
    cutAt: (text, when) => (cut = { text, when }),
    silence: () => (isSilent = true),
    down: () => close(listener),
    async up() {
      isSilent = false
      listener = await listen(port)
    },
  }
}
