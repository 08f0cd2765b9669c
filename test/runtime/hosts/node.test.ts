import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { answerClientError, nodeHost, serverOptions } from '../../../runtime/hosts/node.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { hostContract, type Hosted } from './contract.ts'
import { etagContract } from './etags.ts'
import { socketContract, talk } from './sockets.ts'
import type { Listen } from './sockets.ts'
import { transferContract } from './transfers.ts'

const outside = { name: 'ninefold', base: 0 }

const listen: Listen = async (dispatch, patienceMs) => {
  const times = { headersTimeout: patienceMs, requestTimeout: patienceMs, connectionsCheckingInterval: 10 }
  const host = nodeHost(dispatch)
  const server = createServer({ ...serverOptions, ...(patienceMs !== undefined && times) }, host)
  server.on('checkContinue', (req, res) => host(req, res, () => res.writeContinue()))
  server.on('clientError', (error, socket) => answerClientError(error, socket, outside))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const hosted = async (dispatch: Dispatch): Promise<Hosted> => {
  const { port, ...served } = await listen(dispatch)
  return {
    send: (method, target, init) => fetch(`http://127.0.0.1:${port}${target}`, { ...init, method }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
}

hostContract('node:http', hosted)

etagContract('node:http', hosted)

socketContract('node:http', listen)

transferContract('node:http', listen)

test('bytes that are not HTTP get a response in the form of a renderer', async () => {
  const server = createServer()
  server.on('clientError', (error, socket) =>
    answerClientError(error, socket, outside, ({ status, headers }, { message }) => ({
      status,
      headers: { ...headers, 'content-type': 'text/plain' },
      body: `${status} ${message}`,
    })),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1')
  const answer = await talk(socket, 'hello\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(answer).toMatch(/\r\ncontent-type: text\/plain\r\n/)
  expect(answer).toMatch(/\r\n\r\n400 request is not valid HTTP$/)
  server.close()
})
