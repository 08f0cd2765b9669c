import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Readable } from 'node:stream'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testFolder } from './store/harness.ts'

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url))
const program = fileURLToPath(new URL('../../ninefold.ts', import.meta.url))

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts the command in a folder, without settings apart from `environment`. */
function ninefold(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  ...words: readonly string[]
): Child {
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const child = spawn(process.execPath, [main, ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Returns the output of the command up to the line with the command for the first sign-in. */
async function greeting(child: Child): Promise<string[]> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (/\b(?:activate|login) --url /.test(line)) return lines
  }
  throw new Error(`the command ended after ${JSON.stringify(lines)}`)
}

/**
 * Runs the command in the last line of a greeting, in the folder of the server, and enters a password; returns the exit
 * code and the error output.
 */
async function asPrinted(
  folder: string,
  lines: readonly string[],
  options: readonly string[] = [],
): Promise<[code: unknown, said: string]> {
  const [, words = ''] = /npx node ninefold\.ts (.+)$/.exec(lines.at(-1) ?? '') ?? []
  const env = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder, CI: 'true' }
  const child = spawn(process.execPath, [program, ...words.split(' '), ...options], { cwd: folder, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined).end('glass otter violin 7\n')
  const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  return [code, said]
}

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

const urlIn = (lines: readonly string[]): string => /http:\/\/[\d.]+:\d+/.exec(lines.join('\n'))?.[0] ?? ''

/** Ensures that port 8080 is in use, by this process or by another process. */
async function takeDefaultPort(): Promise<void> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => {
    server.on('error', () => resolve())
    server.listen(8080, '127.0.0.1', resolve)
  })
}

describe('ninefold serve', () => {
  it('serves from an empty folder, prints instructions, and ends cleanly on SIGINT', async () => {
    const folder = testFolder()
    const child = ninefold(folder, { NINEFOLD_HTTP_PORT: '0' }, 'serve')
    const lines = await greeting(child)
    const token = readFileSync(join(folder, 'data/bootstrap-token'), 'utf8').trim()
    expect(lines.join('\n')).toContain('--token-file data/bootstrap-token')
    expect(lines.join('\n')).not.toContain(token)
    expect((await fetch(`${urlIn(lines)}/readyz`)).status).toBe(200)
    const log = textOf(child.stderr)
    await fetch(`${urlIn(lines)}/nope?secret=sesame`, { headers: { authorization: `Bearer ${token}` } })
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    const entries: unknown[] = (await log)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(entries).toContainEqual(
      expect.objectContaining({
        level: 'info',
        method: 'GET',
        status: 404,
        reason: 'ROUTE_NOT_FOUND',
        requestId: expect.any(String),
        traceId: expect.any(String),
        ms: expect.any(Number),
      }),
    )
    expect(await log).not.toMatch(new RegExp(`${token}|sesame`))
  })

  it('keeps the young generation of its heap small', async () => {
    const url = urlIn(await greeting(ninefold(testFolder(), { NINEFOLD_HTTP_PORT: '0' }, 'serve')))
    const metrics = await (await fetch(`${url}/metrics`)).text()
    const [, bytes] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics) ?? []
    // Without a limit, the loading of the program makes the young generation grow beyond 30 MiB.
    expect(Number(bytes)).toBeLessThan(24 * 1024 * 1024)
  })

  it('prints commands that sign the first administrator in, and later every user', async () => {
    const folder = testFolder()
    const serve = { NINEFOLD_HTTP_PORT: '0' }
    const first = ninefold(folder, serve, 'serve')
    expect(await asPrinted(folder, await greeting(first))).toEqual([0, expect.stringMatching(/^signed in to http:/)])
    first.kill('SIGINT')
    await once(first, 'exit')
    const lines = await greeting(ninefold(folder, serve, 'serve'))
    const email = ['--email', 'admin@localhost']
    expect(await asPrinted(folder, lines, email)).toEqual([0, expect.stringMatching(/^signed in to http:/)])
  })

  it('loads no driver of PostgreSQL if its store is a file', async () => {
    const watch = `import { registerHooks } from 'node:module'
      registerHooks({
        resolve(name, context, next) {
          if (name === 'pg') throw new Error('pg is loaded')
          return next(name, context)
        },
      })`
    const options = `--import=data:text/javascript,${encodeURIComponent(watch)}`
    const lines = await greeting(ninefold(testFolder(), { NINEFOLD_HTTP_PORT: '0', NODE_OPTIONS: options }, 'serve'))
    expect(lines.join()).toContain('ninefold listens on')
    const withUrl = { NINEFOLD_STORE_URL: 'postgres://u:hunter2@127.0.0.1:1/n', NODE_OPTIONS: options }
    const child = ninefold(testFolder(), withUrl, 'serve')
    expect(await textOf(child.stderr)).toContain('pg is loaded')
  })

  it('reports an unreachable database, without its credentials', async () => {
    const url = 'postgres://u:hunter2@127.0.0.1:1/n'
    const child = ninefold(testFolder(), { NINEFOLD_HTTP_PORT: '0', NINEFOLD_STORE_URL: url }, 'serve')
    const [said] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    expect(child.exitCode).toBe(1)
    expect(said).toContain('ninefold: postgres://127.0.0.1:1/n cannot be reached: nothing listens there; start')
    expect(said).not.toContain('hunter2')
  })

  it('ends immediately on the second SIGINT, whatever is in progress', async () => {
    const child = ninefold(testFolder(), { NINEFOLD_HTTP_PORT: '0' }, 'serve')
    const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const lineOf = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await output.next()
        if (done === true) throw new Error(`no line matched ${String(pattern)}`)
        if (pattern.test(value)) return value
      }
    }
    const { port } = new URL(urlIn([await lineOf(/listens on/)]))
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await new Promise(resolve => socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n', resolve))
    await fetch(`http://127.0.0.1:${port}/healthz`)
    child.kill('SIGINT')
    await lineOf(/interrupt again/)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })

  it('takes the next port if no port is configured and 8080 is in use, and prints the port', async () => {
    await takeDefaultPort()
    const child = ninefold(testFolder(), {}, 'serve')
    const [first = ''] = await greeting(child)
    expect(first).toMatch(/^ninefold listens on http:\/\/127\.0\.0\.1:80[89]\d \(port 8080 is taken\)$/)
    expect((await fetch(`${urlIn([first])}/healthz`)).status).toBe(200)
  })

  it.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    ['an unknown setting', { NINEFOLD_HTTP_PROT: '1' }, ['serve'], 'did you mean "NINEFOLD_HTTP_PORT"?'],
    ['a settings file that is not there', {}, ['serve', '--config', 'none.json'], 'none.json cannot be read'],
  ])('ends with a message for %s', async (_name, environment, words, message) => {
    const child = ninefold(testFolder(), environment, ...words)
    const [text, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    expect(text).toMatch(/^ninefold: /)
    expect(text).toContain(message)
    expect(code).toBe(1)
  })

  it('ends with a message if the configured port is in use', async () => {
    const taken = createServer()
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''
    const child = ninefold(testFolder(), { NINEFOLD_HTTP_PORT: port }, 'serve')
    const [text, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    expect([text.includes(port), text.includes('EADDRINUSE'), code]).toEqual([true, true, 1])
    expect(text).toContain('set NINEFOLD_HTTP_PORT')
  })
})
