import { execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { administratorFile } from '../../../server/access/sign-in.ts'

const program = fileURLToPath(new URL('../../../../ninefold.ts', import.meta.url))

const bareProgram = fileURLToPath(new URL('bare-server.ts', import.meta.url))

/** A program with a listener, in a process of its own, on a processor of its own if the machine has `taskset`. */
export interface Pinned {
  readonly url: URL
  /** The id of the process. */
  readonly pid: number
  /** Returns the use of the processor by the main thread of the process; undefined on other systems than Linux. */
  processorTime(): ProcessorTime | undefined
  close(): Promise<void>
}

/** The use of a processor by a thread since its start, in milliseconds. */
export interface ProcessorTime {
  readonly ranMs: number
  /** The time for which the thread could run, but other threads used its processor. */
  readonly waitedMs: number
}

/** A server of the platform. */
export interface PinnedServer extends Pinned {
  /** The address of the separate listener for health and metrics. */
  readonly healthUrl: URL
}

/**
 * Starts `ninefold serve` over a new SQLite store on the first processor, with the delays after failed sign-ins turned
 * off and with further environment variables; moves this process to the second processor. The log of the server goes to
 * a file. `served` is the file of the program, by default the sources.
 */
export async function pinnedServer(
  further: Readonly<Record<string, string>> = {},
  served = program,
): Promise<PinnedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-overload-'))
  const healthPort = await freePort()
  const env = {
    PATH: process.env['PATH'] ?? '',
    NINEFOLD_HTTP_PORT: '0',
    NINEFOLD_BOOTSTRAP_ADMIN_PASSWORD_FILE: administratorFile(folder),
    NINEFOLD_HEALTH_LISTEN: `127.0.0.1:${healthPort}`,
    ...Object.fromEntries(throttles.map(name => [`NINEFOLD_IAM_THROTTLE_${name}`, '0'])),
    ...further,
  }
  const log = openSync(join(folder, 'log'), 'w')
  const started = await pinnedProgram([served, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', log] })
  return {
    ...started,
    healthUrl: new URL(`http://127.0.0.1:${healthPort}`),
    async close() {
      await started.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts a bare server of node:http, each of whose calls occupies the processor for `callMs`, on the first processor. */
export const pinnedBareServer = (callMs: number): Promise<Pinned> =>
  pinnedProgram([bareProgram, String(callMs)], { stdio: ['ignore', 'pipe', 'inherit'] })

/**
 * Starts a program of Node.js on the first processor, and moves this process to the second processor. The program prints
 * `listens on URL` once it listens; its standard output must be a pipe.
 */
export async function pinnedProgram(args: readonly string[], options: SpawnOptions): Promise<Pinned> {
  const child = spawn(process.execPath, args, options)
  const exited = once(child, 'exit')
  const pid = child.pid ?? 0
  pin(pid, 0)
  pin(process.pid, 1)
  const { stdout } = child
  if (stdout === null) throw new Error('the server has no output')
  const url = await listening(stdout)
  stdout.resume()
  return {
    url: new URL(url),
    pid,
    processorTime: () => processorTime(pid),
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Reads the times of a main thread from /proc, which has them in nanoseconds. */
function processorTime(pid: number): ProcessorTime | undefined {
  const file = `/proc/${pid}/schedstat`
  if (!existsSync(file)) return undefined
  const [ran = 0, waited = 0] = readFileSync(file, 'utf8').split(' ').map(Number)
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 }
}

const throttles = ['EMAIL_NETWORK', 'EMAIL', 'NETWORK', 'CREDENTIAL_TOKEN']

/** Moves all threads of a process to one processor. Does nothing without the program `taskset`. */
export function pin(pid: number, processor: number): void {
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
