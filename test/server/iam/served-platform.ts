import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** `ninefold serve` in a process of its own. */
export interface ServedPlatform {
  /** The URL of the server. */
  readonly url: string
  as(token?: string): Ninefold
  signedIn(email: string, words?: string): Promise<Member>
  admin(): Promise<Member>
  /** Stops it as `kill -STOP` does: it neither answers nor follows, and does not know that time goes by. */
  pause(): void
  resume(): void
  /** Ends it at once, as `kill -9` does, and is fulfilled when it has ended. */
  kill(): Promise<void>
  /** Whether the process that was started still runs. */
  isRunning(): boolean
}

/**
 * Starts a server over a store; it is killed `later`, by default with the running test. All of them take each other's
 * tokens. `served` is the path of a program that serves other areas by the same settings.
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
  // A process that is stopped is killed all the same.
  later(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const url = await Promise.race([listening(child.stdout), exited.then(() => undefined)])
  if (url === undefined) throw new Error(`the server ended before it listened: ${errors.join('\n')}`)
  // Further output is not read, and must not block the process.
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
  }
}

/** The address that a server says it listens on. */
async function listening(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /listens on (http:\/\/\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  return undefined
}
