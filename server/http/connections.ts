import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Pace } from '../../domain/ports/data-planes.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** The rules of requests to a part of the server, which replace the rules of the whole server. */
export interface RequestRules {
  /** The domain and the form of errors for requests that are refused before they become calls. */
  readonly domain: ErrorDomain
  readonly renderError?: RenderError | undefined
  /** The pace that a body must keep. Absent: the body must arrive within the time limit of requests. */
  readonly pace?: Pace | undefined
}

/** A request whose body may still be arriving. */
interface Arriving {
  readonly request: IncomingMessage
  readonly rules: RequestRules | undefined
  /** The time at which the wait began, or at which the pace of the body was last sufficient. */
  fromMs: number
  /** The number of bytes that the connection had received at the time `fromMs`. */
  had: number
}

/** The progress of a caller in reading and in sending. */
interface Progress {
  readonly openedMs: number
  /** The number of bytes that the caller has taken. */
  taken: number
  sinceMs: number
  arriving: Arriving | undefined
  /** Whether a request of the connection has begun and its answer has not ended. */
  isAnswering: boolean
}

/** The time limits of connections, in milliseconds. */
export interface ConnectionLimits {
  /** The time limit for a caller to take further bytes of an answer. */
  readonly writeMs: number
  /** The time limit of a body without a pace. */
  readonly requestMs: number
}

/** The reactions to exceeded time limits. */
export interface ConnectionEvents {
  /** Reports a connection that is closed, because its caller does not take its answer. */
  readonly onUnread: () => void
  /** Answers a caller with an error, because the body of its request is late. */
  readonly onLate: (socket: Socket, rules: RequestRules | undefined) => void
}

/** The time in milliseconds for which `closeUnused` waits for a request; some clients connect before they send. */
const aheadMs = 500

/**
 * The number of checks of a connection within its shortest time limit, and the longest interval between two checks in
 * milliseconds.
 */
const looksPerLimit = 4
const lookMs = 5000

/**
 * The open connections of a server. A connection whose caller takes no byte of its answer for `writeMs` is closed,
 * because the answer would stay in memory. The time limits of bodies depend on the rules of their requests; node:http
 * has a single limit only.
 */
export class Connections {
  readonly #open = new Map<Socket, Progress>()
  readonly #limits: ConnectionLimits
  readonly #events: ConnectionEvents

  constructor(limits: ConnectionLimits, events: ConnectionEvents) {
    this.#limits = limits
    this.#events = events
  }

  get size(): number {
    return this.#open.size
  }

  watch(server: Server): void {
    server.on('connection', socket => {
      const nowMs = performance.now()
      this.#open.set(socket, { openedMs: nowMs, taken: 0, sinceMs: nowMs, arriving: undefined, isAnswering: false })
      socket.once('close', () => this.#open.delete(socket))
    })
    const { requestMs, writeMs } = this.#limits
    const everyMs = Math.min(lookMs, Math.min(requestMs, writeMs) / looksPerLimit)
    const timer = setInterval(() => this.#look(performance.now()), everyMs).unref()
    server.once('close', () => clearInterval(timer))
  }

  /** Begins a request, which is the next request to be answered on its connection, and waits for its body. */
  begin(request: IncomingMessage, response: ServerResponse, rules: RequestRules | undefined): void {
    const progress = this.#open.get(request.socket)
    if (progress === undefined) return
    progress.isAnswering = true
    response.once('close', () => {
      progress.isAnswering = false
      // The connection would otherwise keep the last request in memory.
      progress.arriving = undefined
    })
    progress.arriving = { request, rules, fromMs: performance.now(), had: request.socket.bytesRead }
  }

  /**
   * Closes connections without a request, `aheadMs` after they were opened, and connections with a part of a request
   * line or of headers, `aheadMs` after `sinceMs`, the beginning of the end. node:http treats both kinds of connections
   * as busy, because a request could still arrive.
   */
  closeUnused(sinceMs: number): void {
    const nowMs = performance.now()
    for (const [socket, { isAnswering, openedMs }] of this.#open) {
      const fromMs = socket.bytesRead === 0 ? openedMs : Math.max(openedMs, sinceMs)
      if (!isAnswering && nowMs - fromMs >= aheadMs) socket.destroy()
    }
  }

  #look(nowMs: number): void {
    for (const [socket, progress] of this.#open) {
      const { arriving } = progress
      if (this.#isUnread(socket, progress, nowMs)) {
        this.#events.onUnread()
        socket.destroy()
      } else if (arriving !== undefined && this.#isLate(arriving, nowMs)) {
        progress.arriving = undefined
        this.#events.onLate(socket, arriving.rules)
      }
    }
  }

  #isUnread(socket: Socket, progress: Progress, nowMs: number): boolean {
    const waiting = socket.writableLength
    const taken = socket.bytesWritten - waiting
    if (waiting > 0 && taken <= progress.taken) return nowMs - progress.sinceMs >= this.#limits.writeMs
    progress.taken = taken
    progress.sinceMs = nowMs
    return false
  }

  #isLate(arriving: Arriving, nowMs: number): boolean {
    const { request, rules, fromMs, had } = arriving
    const { bytesRead } = request.socket
    const waitedMs = nowMs - fromMs
    if (request.complete) return false
    if (rules?.pace === undefined) return waitedMs >= this.#limits.requestMs
    const { bytesPerSecond, overMs } = rules.pace
    const isHeldBack = request.readableFlowing !== true
    if (!isHeldBack && waitedMs < overMs) return false
    arriving.fromMs = nowMs
    arriving.had = bytesRead
    return !isHeldBack && bytesRead - had < (bytesPerSecond * waitedMs) / 1000
  }
}
