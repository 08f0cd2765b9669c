import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/**
 * The network device of a machine, as QEMU has it: a server on a unix socket with one client, whose frames stand behind
 * their lengths.
 */
export class GuestSocket {
  readonly #server: Server
  /** The frames that have arrived and were not taken. */
  readonly #frames: Buffer[] = []
  readonly #waiting: ((frame: Buffer) => void)[] = []
  #client: Socket | undefined
  #rest = Buffer.alloc(0)
  /** The number of connections since the start. */
  connections = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', client => this.#accept(client))
  }

  /** Listens on a unix socket. */
  static async listen(path: string): Promise<GuestSocket> {
    const server = createServer()
    server.listen(path)
    await once(server, 'listening')
    return new GuestSocket(server)
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** Sends frames in one write. */
  send(...frames: readonly Uint8Array[]): void {
    this.write(
      Buffer.concat(
        frames.flatMap(frame => {
          const prefix = Buffer.alloc(4)
          prefix.writeUInt32BE(frame.length)
          return [prefix, frame]
        }),
      ),
    )
  }

  /** Sends bytes without a length. */
  write(bytes: Uint8Array): void {
    if (this.#client === undefined) throw new Error('the switch is not connected')
    this.#client.write(bytes)
  }

  /** Returns the next frame that has arrived or will arrive. */
  next(): Promise<Buffer> {
    const [frame] = this.#frames.splice(0, 1)
    return frame === undefined ? new Promise(resolve => this.#waiting.push(resolve)) : Promise.resolve(frame)
  }

  /** Returns the number of frames that have arrived and were not taken. */
  get untaken(): number {
    return this.#frames.length
  }

  /** Stops or continues to read. */
  setReading(isReading: boolean): void {
    if (isReading) this.#client?.resume()
    else this.#client?.pause()
  }

  /** Ends the connection; the socket still listens. */
  cut(): void {
    this.#client?.destroy()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  #accept(client: Socket): void {
    this.connections += 1
    this.#client?.destroy()
    this.#client = client
    this.#rest = Buffer.alloc(0)
    client.on('error', () => {})
    client.on('close', () => {
      if (this.#client === client) this.#client = undefined
    })
    client.on('data', (bytes: Buffer) => this.#read(bytes))
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    let at = 0
    while (at + 4 <= this.#rest.length) {
      const end = at + 4 + this.#rest.readUInt32BE(at)
      if (end > this.#rest.length) break
      const frame = Buffer.from(this.#rest.subarray(at + 4, end))
      const [take] = this.#waiting.splice(0, 1)
      if (take === undefined) this.#frames.push(frame)
      else take(frame)
      at = end
    }
    this.#rest = Buffer.from(this.#rest.subarray(at))
  }
}
