import { connect, type Socket } from 'node:net'
import { FrameReader, prefixBytes, type FrameSink } from './frame-reader.ts'
import { socketAddress } from './socket-address.ts'

/** The number of bytes that a read takes at most, and the number of bytes that are written together. */
const chunkBytes = 65_536
/** The number of bytes that may wait for a machine that does not read. Further frames are dropped. */
const maxWaitingBytes = 2 ** 20
/** The waits between attempts to connect, in milliseconds: doubled after each failure. */
const retryMs = { first: 50, last: 1000 } as const

/** The events of a wire. */
export interface WireEvents extends FrameSink {
  connected(): void
  disconnected(): void
  /** Called after the frames of one read. */
  endOfRead(): void
}

/**
 * The connection with the network device of a machine, which listens on a unix socket. The wire connects until `close`,
 * again after each end of the connection.
 */
export class Wire {
  readonly path: string
  readonly #events: WireEvents
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes)
  readonly #batch = Buffer.allocUnsafeSlow(chunkBytes)
  #batchBytes = 0
  #socket: Socket | undefined
  #isConnected = false
  #isClosed = false
  #retryMs: number = retryMs.first
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, events: WireEvents) {
    this.path = path
    this.#events = events
  }

  /** Tries to connect now, unless the wire is connected or connecting. */
  open(): void {
    if (this.#isClosed || this.#socket !== undefined) return
    clearTimeout(this.#timer)
    const address = this.#address()
    if (address === undefined) return this.#retry()
    const reader = new FrameReader(this.#events)
    const onread = { buffer: this.#buffer, callback: (length: number) => this.#read(reader, length) }
    const socket = connect({ path: address.path, onread })
    this.#socket = socket
    const since = performance.now()
    socket.once('connect', () => {
      address.release()
      this.#isConnected = true
      this.#events.connected()
    })
    // The event `close` follows each error.
    socket.on('error', () => {})
    socket.once('close', () => {
      if (!this.#isConnected) address.release()
      this.#ended(performance.now() - since)
    })
  }

  /**
   * Adds a frame to the frames that the next `flush` sends. Returns false, and drops the frame, if the machine does not
   * read.
   */
  send(bytes: Uint8Array, start: number, end: number): boolean {
    const frameBytes = end - start
    if (this.#batchBytes + prefixBytes + frameBytes > chunkBytes) this.flush()
    if (!this.#isConnected || (this.#socket?.writableLength ?? 0) > maxWaitingBytes) return false
    this.#batch.writeUInt32BE(frameBytes, this.#batchBytes)
    this.#batch.set(bytes.subarray(start, end), this.#batchBytes + prefixBytes)
    this.#batchBytes += prefixBytes + frameBytes
    return true
  }

  /** Sends the frames of the batch. */
  flush(): void {
    if (this.#batchBytes === 0) return
    // The socket keeps the bytes until the kernel has taken them, so the batch is copied.
    if (this.#isConnected) this.#socket?.write(Buffer.from(this.#batch.subarray(0, this.#batchBytes)))
    this.#batchBytes = 0
  }

  /** Ends the connection and the attempts to connect. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.destroy()
  }

  #address() {
    try {
      return socketAddress(this.path)
    } catch {
      return undefined
    }
  }

  #read(reader: FrameReader, length: number): boolean {
    if (!reader.read(this.#buffer, length)) this.#socket?.destroy()
    this.#events.endOfRead()
    return true
  }

  #ended(lastedMs: number): void {
    const wasConnected = this.#isConnected
    this.#socket = undefined
    this.#isConnected = false
    this.#batchBytes = 0
    if (wasConnected) this.#events.disconnected()
    if (wasConnected && lastedMs > retryMs.last) this.#retryMs = retryMs.first
    this.#retry()
  }

  #retry(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.open(), this.#retryMs)
    this.#retryMs = Math.min(2 * this.#retryMs, retryMs.last)
  }
}
