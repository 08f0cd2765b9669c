import { connect, type Socket } from 'node:net'

/** The end of a request: the HTTP status, or 0 if the connection ended without a whole response. */
export type Ended = (status: number) => void

/**
 * A connection to a server that sends one request at a time. `node:http` would cost the load generator as much as the
 * requests cost the server.
 */
export class Exchange {
  readonly #socket: Socket
  #received = ''
  #ended: Ended | undefined

  constructor({ hostname, port }: URL) {
    this.#socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
    this.#socket.on('data', (chunk: string) => this.#receive(chunk))
    this.#socket.on('error', () => this.#end(0))
    this.#socket.on('close', () => this.#end(0))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Sends a request, and calls `ended` once: with the status of the response, or with 0. */
  send(request: string, ended: Ended): void {
    if (this.#socket.destroyed) return ended(0)
    this.#ended = ended
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: string): void {
    this.#received += chunk
    const head = this.#received.indexOf('\r\n\r\n')
    if (head === -1) return
    const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, head)) ?? []
    if (this.#received.length < head + 4 + Number(length)) return
    const status = Number(this.#received.slice(9, 12))
    this.#received = ''
    this.#end(status)
  }

  #end(status: number): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.(status)
  }
}
