import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionTokens } from '../client/session.ts'
import { isRecord } from '../runtime/validation.ts'
import { CommandError } from './exit-codes.ts'
import { takeLock } from './file-lock.ts'

/** The server and the tokens of a kept session. */
export interface KeptSession {
  /** The address as `serverUrl` writes it. The tokens are sent to this server only. */
  readonly base_url: string
  readonly tokens: SessionTokens
}

/** The maximal time to wait for the lock, in milliseconds. A renewal of tokens takes less time. */
const waitMs = 60_000
const pauseMs = 25

/** Returns the folder of the files that the commands store: `ninefold` in `XDG_CONFIG_HOME`, or else in `~/.config`. */
export function configFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { HOME, XDG_CONFIG_HOME } = environment
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'ninefold')
}

/** Keeps the tokens of the person at this machine in a file that only this person can read. */
export class SessionFile {
  readonly path: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.path = join(folder, 'session.json')
  }

  /**
   * Returns the kept session, or undefined if the file is missing. Throws `CommandError` if other users have access to
   * the file, or if its content is malformed.
   */
  async read(): Promise<KeptSession | undefined> {
    const text = await readFile(this.path, 'utf8').catch(absent)
    if (text === undefined) return undefined
    const { mode } = await stat(this.path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CommandError(`others can read ${this.path}: sign in again with ninefold login, or chmod 600 it`)
    }
    return this.#parse(text)
  }

  /** Replaces the file atomically. */
  async write(kept: KeptSession): Promise<void> {
    await this.#makeFolder()
    const draft = `${this.path}.${randomUUID()}`
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(kept, undefined, 2)}\n`)
      await handle.sync()
      await rename(draft, this.path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await handle.close()
    }
  }

  /** Deletes the file; does nothing if it is missing. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true })
  }

  /**
   * Runs a task under a lock between processes, and returns the result of the task. Throws `CommandError` if other
   * commands hold the lock for a minute.
   */
  async exclusive<Result>(task: () => Promise<Result>): Promise<Result> {
    await this.#makeFolder()
    const release = await lock(join(this.#folder, 'session.lock'))
    try {
      return await task()
    } finally {
      release()
    }
  }

  async #makeFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await chmod(this.#folder, 0o700)
  }

  #parse(text: string): KeptSession {
    const value = parsed(text)
    if (isRecord(value) && typeof value.base_url === 'string' && isTokens(value.tokens)) {
      return { base_url: value.base_url, tokens: value.tokens }
    }
    throw new CommandError(`${this.path} is broken: sign in again with ninefold login`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTokens(value: unknown): value is SessionTokens {
  if (!isRecord(value)) return false
  const { access_token, expire_time, principal_id, refresh_token } = value
  const texts = [access_token, expire_time, principal_id, refresh_token ?? '']
  return texts.every(text => typeof text === 'string')
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

/** Waits for the lock and takes it; returns a function that releases the lock. */
async function lock(path: string): Promise<() => void> {
  for (let waited = 0; ; waited += pauseMs) {
    const release = await takeLock(path)
    if (release) return release
    if (waited >= waitMs) throw new CommandError(`another command holds ${path}: end it, and try again`)
    await sleep(pauseMs)
  }
}
