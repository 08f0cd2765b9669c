import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { administratorFile, signIn } from '../server/access/sign-in.ts'
import { createTransport, type Transport } from '../../runtime/transport.ts'
import { memoryFolder } from '../memory-folder.ts'

const program = fileURLToPath(new URL('../../ninefold.ts', import.meta.url))

/** A served platform in a process of its own, on a free port. */
export interface Served {
  readonly url: string
  readonly token: string
  readonly transport: Transport
  readonly output: readonly string[]
  /** Sends a signal and waits for the end of the process; returns the exit code. */
  end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** Makes a data folder for one test; `remove` deletes the folder. */
export function dataFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(memoryFolder, 'ninefold-e2e-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Starts `ninefold serve` over a data folder and waits until the server listens. `settings` are environment variables
 * of the server.
 */
export async function startServer(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<Served> {
  const password = { NINEFOLD_BOOTSTRAP_ADMIN_PASSWORD_FILE: administratorFile(dataDir) }
  const { NODE_COMPILE_CACHE, PATH = '' } = process.env
  // The server gets no other variables: it refuses the variables that lengthen tests, because they are not settings.
  const env = { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
  const own = { NINEFOLD_DATA_DIR: dataDir, NINEFOLD_HTTP_PORT: '0', ...password, ...settings }
  const child = spawn(process.execPath, [program, 'serve', '--dev'], {
    env: { ...env, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const url = await listening(child, output)
  const token = await signIn(url)
  return {
    url,
    token,
    transport: createTransport({ baseUrl: url, token }),
    output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      // The event `close` comes only after all output of the process.
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}

async function listening(child: ChildProcess, output: string[]): Promise<string> {
  if (!child.stdout) throw new Error('the server has no output')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('exit', code => reject(new Error(`the server ended with ${code}:\n${output.join('\n')}`)))
  createInterface(child.stdout).on('line', row => {
    output.push(`${row}\n`)
    const [, url] = /listens on (http:\/\/[\d.:]+)/.exec(row) ?? []
    if (url !== undefined) resolve(url)
  })
  return promise
}
