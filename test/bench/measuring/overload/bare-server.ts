/**
 * This program serves every request with a short JSON body, after it has occupied the processor for a number of
 * milliseconds, the first argument. The server refuses no request and limits nothing.
 */
import { createServer } from 'node:http'

const callMs = Number(process.argv[2])

const server = createServer((_, response) => {
  const until = performance.now() + callMs
  while (performance.now() < until);
  response.setHeader('content-type', 'application/json').end('{}')
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`listens on http://127.0.0.1:${address.port}`)
})
