import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { socketAddress } from '../../network/switch/socket-address.ts'

/** The maximal length of a line of QEMU in characters. A longer line ends the session. */
const longestLine = 4 * 2 ** 20

/** The default time limit of a command in milliseconds. */
const commandMs = 10_000

/** An error that QEMU returned for a command. */
export class QmpError extends Error {
  override readonly name = 'QmpError'
}

/** The end of a session: QEMU has ended, does not answer, or broke the protocol. */
export class QmpClosed extends Error {
  override readonly name = 'QmpClosed'
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/**
 * A session with the monitor of one QEMU process: JSON lines over a unix socket (QEMU Machine Protocol). The monitor
 * accepts one session at a time. Sessions do not keep the process of the server alive.
 */
export class QmpSession {
  readonly #socket: Socket
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Set<(event: string) => void>()
  #count = 0
  #text = ''
  #closed: QmpClosed | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.unref()
    socket.on('data', (text: string) => this.#read(text))
    socket.on('error', () => {})
    socket.on('close', () => this.#end('QEMU has closed the session'))
  }

  /** Opens a session. Throws QmpClosed if no QEMU listens, or if QEMU does not answer within the time limit. */
  static async open(path: string, timeoutMs: number = commandMs): Promise<QmpSession> {
    const socket = await connected(path, timeoutMs)
    const session = new QmpSession(socket)
    // QEMU reads commands only after its greeting, and queues the commands that arrive earlier.
    await session.execute('qmp_capabilities', {}, timeoutMs)
    return session
  }

  get isOpen(): boolean {
    return this.#closed === undefined
  }

  /** Runs a command and returns its result. Throws QmpError for an error of QEMU, and QmpClosed after the session. */
  execute(command: string, parameters: object = {}, timeoutMs: number = commandMs): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed)
    const id = (this.#count += 1)
    return new Promise((resolve, reject) => {
      // A late answer would be mistaken for the state of the guest at a later time, so the session ends.
      const timer = setTimeout(() => this.#fail(`QEMU did not answer ${command}`), timeoutMs)
      this.#pending.set(id, { resolve, reject, timer })
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: parameters, id })}\n`)
    })
  }

  /** Returns true once QEMU reports the event, and false after the time limit or at the end of the session. */
  next(event: string, timeoutMs: number): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false)
    return new Promise(resolve => {
      const end = (isReported: boolean): void => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        resolve(isReported)
      }
      const timer = setTimeout(() => end(false), timeoutMs)
      const listener = (name: string): void => {
        if (name === event) end(true)
        if (name === '') end(false)
      }
      this.#listeners.add(listener)
    })
  }

  close(): void {
    this.#fail('the session was closed')
  }

  #read(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    if (this.#text.length > longestLine) this.#fail('QEMU sent a line that is too long')
    for (const line of lines) if (line.trim() !== '') this.#take(line)
  }

  #take(line: string): void {
    const message = objectOf(line)
    if (!message) return this.#fail('QEMU sent a line that is no JSON object')
    const { error, event, id, return: result } = message
    if (typeof event === 'string') for (const listener of this.#listeners) listener(event)
    if (typeof id !== 'number') return
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    clearTimeout(pending?.timer)
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(new QmpError(descriptionOf(error)))
  }

  #fail(reason: string): void {
    this.#socket.destroy()
    this.#end(reason)
  }

  #end(reason: string): void {
    const closed = (this.#closed ??= new QmpClosed(reason))
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer)
      reject(closed)
    }
    this.#pending.clear()
    for (const listener of this.#listeners) listener('')
  }
}

/** Connects to the unix socket at a path. Throws QmpClosed. */
async function connected(path: string, timeoutMs: number): Promise<Socket> {
  try {
    const address = socketAddress(path)
    const socket = connect({ path: address.path })
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) })
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      address.release()
    }
  } catch (error) {
    throw new QmpClosed('no QEMU listens', { cause: error })
  }
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const descriptionOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'desc' in error ? String(error.desc) : 'an unknown error'
