import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A host on loopback that answers each connection as `serve` says, with the bytes that clients have sent. */
export interface HostileHost {
  readonly port: number
  /** The bytes of all connections in the order of their arrival. */
  readonly received: () => string
  /** The number of connections. */
  readonly connections: () => number
}

/** Starts a host until the end of the running test. `serve` is called once the first bytes of a connection arrived. */
export async function hostileHost(serve: (socket: Socket) => void, address = '127.0.0.1'): Promise<HostileHost> {
  const open = new Set<Socket>()
  let received = ''
  let connections = 0
  const server: Server = createServer(socket => {
    open.add(socket)
    connections += 1
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.on('data', bytes => (received += bytes.toString('latin1')))
    socket.once('data', () => serve(socket))
  })
  await new Promise<void>(resolve => server.listen(0, address, resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, received: () => received, connections: () => connections }
}
