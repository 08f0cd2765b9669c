import { expect, test } from 'vitest'
import { callOver } from '../../../generator/conform/call.ts'
import { listen } from '../../runtime/listening.ts'

test('a request goes over HTTP unchanged, and its response comes back', async () => {
  await using server = await listen((_request, response) => {
    response.writeHead(302, { location: '/elsewhere', 'X-Request-Id': 'r1' }).end('moved')
  })
  const call = callOver(`${server.baseUrl}/`)
  const answer = await call({
    method: 'POST',
    target: '/a%2Fb?c=%3A',
    headers: { 'content-type': 'text/plain' },
    body: 'ä',
  })
  expect(answer).toMatchObject({
    status: 302,
    headers: { 'x-request-id': 'r1', location: '/elsewhere' },
    body: 'moved',
  })
  expect(server.received).toMatchObject([{ method: 'POST', target: '/a%2Fb?c=%3A' }])
  expect(server.received[0]?.body.toString()).toBe('ä')
})

test('an endless response is read only up to a limit', async () => {
  await using server = await listen((_request, response) => {
    const part = 'x'.repeat(1024 * 1024)
    for (let i = 0; i < 20; i += 1) response.write(part)
  })
  const call = callOver(server.baseUrl)
  await expect(call({ method: 'GET', target: '/', headers: {} })).rejects.toThrow(
    /the answer has more than \d+ characters/,
  )
})
