import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Pace } from '../../domain/ports/data-planes.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** What holds of requests to a part of the server in place of what holds of all. */
export interface RequestRules {
  /** Whose errors are told where a request is refused before it is a call, and in which form. */
  readonly domain: ErrorDomain
  readonly renderError?: RenderError | undefined
  /** A body may take as long as it keeps this pace. Absent: it must have come within the time of requests. */
  readonly pace?: Pace | undefined
}

/** A request whose body may still be arriving. */
interface Arriving {
  readonly request: IncomingMessage
  readonly rules: RequestRules | undefined
  /** When it began, or when its pace was last found to be enough. */
  fromMs: number
  /** Bytes that the connection had brought by then. */
  had: number
}

/** How far a caller has come with what is written to it, and with what it sends. */
interface Progress {
  readonly openedMs: number
  /** Bytes that went out. */
  taken: number
  sinceMs: number
  arriving: Arriving | undefined
}

/** What bounds the connections of a server; lengths in milliseconds. */
export interface ConnectionLimits {
  /** An answer waits so long for its caller to take some of it. */
  readonly writeMs: number
  /** A body has so long to come whose rules name no pace. */
  readonly requestMs: number
}

/** What a server does when it gives up waiting. */
export interface ConnectionEvents {
  /** The caller takes nothing of its answer: the connection is cut. */
  readonly onUnread: () => void
  /** The body of a request is late; its caller is to be told so. */
  readonly onLate: (socket: Socket, rules: RequestRules | undefined) => void
}

/** Whoever connects sends a request at once, or has connected ahead. */
const aheadMs = 500

/** How often in the shortest of its times a connection is looked at, and the longest time between two looks. */
const looksPerLimit = 4
const lookMs = 5000

/**
 * The open connections of a server. Those whose callers take nothing of what waits for them for `writeMs` are cut: the
 * answer would stay in memory for as long as they please. Bodies are waited for as the rules of their requests say;
 * node:http could only give all requests one time.
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
      this.#open.set(socket, { openedMs: nowMs, taken: 0, sinceMs: nowMs, arriving: undefined })
      socket.once('close', () => this.#open.delete(socket))
    })
    const { requestMs, writeMs } = this.#limits
    const everyMs = Math.min(lookMs, Math.min(requestMs, writeMs) / looksPerLimit)
    const timer = setInterval(() => this.#look(performance.now()), everyMs).unref()
    server.once('close', () => clearInterval(timer))
  }

  /** Waits from now on for the body of a request, which is the next to be answered on its connection. */
  expectBody(request: IncomingMessage, rules: RequestRules | undefined): void {
    const progress = this.#open.get(request.socket)
    if (progress === undefined) return
    progress.arriving = { request, rules, fromMs: performance.now(), had: request.socket.bytesRead }
  }

  /** Closes those on which nothing was ever sent: node:http takes them for busy, as a request could still come. */
  closeUnused(): void {
    const nowMs = performance.now()
    for (const [socket, { openedMs }] of this.#open) {
      if (socket.bytesRead === 0 && nowMs - openedMs >= aheadMs) socket.destroy()
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
