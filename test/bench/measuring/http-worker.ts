import { createServer, type RequestListener } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { nodeHost, serverOptions } from '../../../runtime/hosts/node.ts'
import { greeting, trivialService } from './trivial-service.ts'

/**
 * This program is a server in a thread of its own, so that its CPU time is separate from the CPU time of its callers.
 * The program posts its port first, and its CPU time in nanoseconds at each message.
 */

const servers: Readonly<Record<string, () => RequestListener>> = {
  bare: () => (_, response) => {
    const body = JSON.stringify(greeting)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) })
    response.end(body)
  },
  host: () => nodeHost(trivialService()),
}

const port = parentPort
const listener = servers[String(workerData)]
if (port === null || listener === undefined) throw new Error('this file is a worker of the bench')

const server = createServer(serverOptions, listener())
server.listen(0, '127.0.0.1', () => port.postMessage(server.address()))
port.on('message', () => {
  const { user, system } = process.threadCpuUsage()
  port.postMessage((user + system) * 1000)
})
