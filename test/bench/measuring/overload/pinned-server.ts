import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { administratorFile } from '../../../server/access/sign-in.ts'

const program = fileURLToPath(new URL('../../../../ninefold.ts', import.meta.url))

/** A server in a process of its own, on a processor of its own if the machine has the program `taskset`. */
export interface PinnedServer {
  readonly url: URL
  /** The address of the separate listener for health and metrics. */
  readonly healthUrl: URL
  close(): Promise<void>
}

/**
 * Starts `ninefold serve` over a new SQLite store on the first processor, with the delays after failed sign-ins turned
 * off; moves this process to the second processor. The log of the server goes to a file.
 */
export async function pinnedServer(): Promise<PinnedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-overload-'))
  const healthPort = await freePort()
  const env = {
    PATH: process.env['PATH'] ?? '',
    NINEFOLD_HTTP_PORT: '0',
    NINEFOLD_BOOTSTRAP_ADMIN_PASSWORD_FILE: administratorFile(folder),
    NINEFOLD_HEALTH_LISTEN: `127.0.0.1:${healthPort}`,
    ...Object.fromEntries(throttles.map(name => [`NINEFOLD_IAM_THROTTLE_${name}`, '0'])),
  }
  const log = openSync(join(folder, 'log'), 'w')
  const child = spawn(process.execPath, [program, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', log] })
  const exited = once(child, 'exit')
  pin(child.pid ?? 0, 0)
  pin(process.pid, 1)
  const { stdout } = child
  if (stdout === null) throw new Error('the server has no output')
  const url = await listening(stdout)
  stdout.resume()
  return {
    url: new URL(url),
    healthUrl: new URL(`http://127.0.0.1:${healthPort}`),
    async close() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

const throttles = ['EMAIL_NETWORK', 'EMAIL', 'NETWORK', 'CREDENTIAL_TOKEN']

/** Moves all threads of a process to one processor. Does nothing without the program `taskset`. */
function pin(pid: number, processor: number): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(processor), String(pid)], { stdio: 'ignore' })
  } catch {
    console.log('taskset is missing: server and callers share their processors')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /listens on (http:\/\/\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the server ended before it listened')
}
