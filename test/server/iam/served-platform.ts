import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { administrator, administratorFile } from '../access/sign-in.ts'
import { testFolder, type Later } from '../store/harness.ts'
import { signingIn, type Member } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'

const program = fileURLToPath(new URL('../../../ninefold.ts', import.meta.url))

/** A platform that `ninefold serve` serves in a process of its own. */
export interface ServedPlatform {
  /** The URL of the server. */
  readonly url: string
  as(token?: string): Ninefold
  signedIn(email: string, words?: string): Promise<Member>
  admin(): Promise<Member>
  /** Pauses the process as `kill -STOP` does: it neither responds nor applies changes, and its timers stand still. */
  pause(): void
  resume(): void
  /** Kills the process with SIGKILL; the promise is fulfilled when the process has ended. */
  kill(): Promise<void>
  /** Returns true if the process is still running. */
  isRunning(): boolean
  /** Returns the memory of the process in bytes. */
  residentBytes(): number
}

/**
 * Starts a server process over a store; `later` kills the process, by default at the end of the running test. All
 * servers on one store accept each other's tokens. `served` is the path of the program, which may serve other areas by
 * the same settings.
 */
export async function servedPlatform(
  settings: Readonly<Record<string, string>>,
  later: Later = onTestFinished,
  served = program,
): Promise<ServedPlatform> {
  const folder = testFolder(later)
  const env = {
    PATH: process.env['PATH'] ?? '',
    NINEFOLD_BASE_URL: baseUrl,
    NINEFOLD_HTTP_PORT: '0',
    NINEFOLD_BOOTSTRAP_ADMIN_PASSWORD_FILE: administratorFile(folder),
    ...settings,
  }
  const child = spawn(process.execPath, [served, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  // SIGKILL also ends a process that SIGSTOP has paused.
  later(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const url = await Promise.race([listening(child.stdout), exited.then(() => undefined)])
  if (url === undefined) throw new Error(`the server ended before it listened: ${errors.join('\n')}`)
  // The test reads no further output; `resume` drains the pipe, so that the process never blocks on a write.
  child.stdout.resume()
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ baseUrl: url, retries: 0, ...(token !== undefined && { token }) }))
  const signedIn = signingIn(as)
  return {
    url,
    as,
    signedIn,
    admin: () => signedIn(administrator.email, administrator.password),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    residentBytes() {
      const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      return Number(kibibytes) * 1024
    },
  }
}

/** Returns the URL that a server prints when it listens, or undefined if its output ends before. */
async function listening(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /listens on (http:\/\/\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  return undefined
}
