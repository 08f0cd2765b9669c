import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Later } from '../harness.ts'

/** The connection between a store and its server, which can fail. */
export interface Proxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Cuts the connection on which the client sends this text, before or after the server has got it. */
  cutAt(text: string, when: 'before' | 'after'): void
  /** Holds back the server's answers until it is `up` again. */
  silence(): void
  /** Cuts all connections and refuses new ones. */
  down(): Promise<void>
  up(): Promise<void>
}

/** Starts a proxy before the server of `url`; it ends `later`, by default with the running test. */
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
      // The server has committed once it answers.
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
