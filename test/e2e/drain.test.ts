import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { TaxonomyClient } from '../../output/taxonomy/client.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createTransport } from '../../runtime/transport.ts'
import { dataFolder, startServer, type Served } from './served.ts'

let remove = (): void => {}
afterEach(() => remove())

async function started(settings: Readonly<Record<string, string>> = {}): Promise<Served & { readonly path: string }> {
  const folder = dataFolder()
  remove = folder.remove
  const server = await startServer(folder.path, settings)
  onTestFinished(() => void server.end('SIGKILL'))
  return { ...server, path: folder.path }
}

/**
 * Begins a request: sends its headers and a part of its body after the server has begun to read. Returns the socket and
 * the rest of the body.
 */
async function begun({ url, token }: Served, name: string): Promise<{ socket: Socket; rest: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ name })
  const head = [
    'POST /taxonomy/v1/organisations HTTP/1.1',
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer]: Buffer[] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 100 /)
  socket.write(body.slice(0, 5))
  return { socket, rest: body.slice(5) }
}

async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', chunk => (text += String(chunk)))
  await once(socket, 'close')
  return text
}

describe('a server that receives a signal to end', () => {
  it('ends with 0 under load, and keeps every acknowledged change', async () => {
    const server = await started()
    const transport = createTransport({ baseUrl: server.url, token: server.token, retries: 0 })
    const client = new TaxonomyClient(transport)
    const acknowledged: string[] = []
    const others = new Set<string>()
    let isEnding = false
    const worker = async (lane: number): Promise<void> => {
      for (let count = 0; ; count += 1) {
        const name = `org-${lane}-${count}`
        try {
          await client.createOrganisation({ body: { name } })
          acknowledged.push(name)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          others.add(error.reason)
          if (error.reason === 'CONNECTION_FAILED' || isEnding) return
        }
      }
    }
    const load = Promise.all(Array.from({ length: 16 }, (_, lane) => worker(lane)))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50)
    isEnding = true
    expect(await server.end('SIGTERM')).toBe(0)
    await load
    expect([...others].filter(reason => !['ENGINE_UNAVAILABLE', 'CONNECTION_FAILED'].includes(reason))).toEqual([])

    const again = await startServer(server.path)
    onTestFinished(() => void again.end('SIGKILL'))
    const kept = new Set<string>()
    for await (const { name } of new TaxonomyClient(again.transport).iterateOrganisations()) kept.add(name)
    expect(acknowledged.filter(name => !kept.has(name))).toEqual([])
    expect(await again.end('SIGTERM')).toBe(0)
  }, 60_000)

  it('handles a request whose beginning it has received', async () => {
    const server = await started()
    const call = await begun(server, 'late')
    const text = received(call.socket)
    const ended = server.end('SIGTERM')
    await expect.poll(() => server.output.join('')).toContain('ends what it has begun')
    call.socket.write(call.rest)
    expect(await text).toMatch(/^HTTP\/1.1 200 [^]*^connection: close/im)
    expect(await ended).toBe(0)
  }, 30_000)

  it('waits for a request that never ends no longer than its limit', async () => {
    const server = await started({ NINEFOLD_HTTP_DRAIN_TIMEOUT: '0.3s' })
    const call = await begun(server, 'never')
    const text = received(call.socket)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(await text).toBe('')
  }, 30_000)

  it('ends immediately at a second signal', async () => {
    const server = await started()
    await begun(server, 'never')
    const ended = server.end('SIGTERM')
    await expect.poll(() => server.output.join('')).toContain('interrupt again to end at once')
    await server.end('SIGTERM')
    expect(await ended).toBe(130)
  }, 30_000)
})
