import { once } from 'node:events'
import type { Server } from 'node:net'

/** Starts a server on a free port of 127.0.0.1; returns its address without a path. */
export async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}
