import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How far a caller has come with what is written to it. */
interface Progress {
  readonly openedMs: number
  /** Bytes that went out. */
  taken: number
  sinceMs: number
}

/** Whoever connects sends a request at once, or has connected ahead. */
const aheadMs = 500

/** How often in its time a connection is looked at. */
const looksPerLimit = 4

/**
 * The open connections of a server. Those whose callers take nothing of what waits for them for `writeMs` are cut, and
 * `onCut` is told: the answer would stay in memory for as long as they please.
 */
export class Connections {
  readonly #open = new Map<Socket, Progress>()
  readonly #writeMs: number
  readonly #onCut: () => void

  constructor(writeMs: number, onCut: () => void) {
    this.#writeMs = writeMs
    this.#onCut = onCut
  }

  get size(): number {
    return this.#open.size
  }

  watch(server: Server): void {
    server.on('connection', socket => {
      this.#open.set(socket, { openedMs: performance.now(), taken: 0, sinceMs: performance.now() })
      socket.once('close', () => this.#open.delete(socket))
    })
    const timer = setInterval(() => this.#look(performance.now()), this.#writeMs / looksPerLimit).unref()
    server.once('close', () => clearInterval(timer))
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
      const waiting = socket.writableLength
      const taken = socket.bytesWritten - waiting
      if (waiting === 0 || taken > progress.taken) {
        progress.taken = taken
        progress.sinceMs = nowMs
      } else if (nowMs - progress.sinceMs >= this.#writeMs) {
        this.#onCut()
        socket.destroy()
      }
    }
  }
}
