import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'

/** A message of the DevTools protocol: an event has `method` and `params`, a response has `id`. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

type Params = Readonly<Record<string, unknown>>

/** A connection to the DevTools of a browser, which answers commands and reports events. */
export class DevTools {
  readonly #socket: WebSocket
  readonly #pending = new Map<number, PromiseWithResolvers<Params>>()
  #listeners: readonly ((message: Message) => void)[] = []
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
    socket.addEventListener('close', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the browser has ended'))
    })
  }

  /** Connects to the address that a browser prints on its error output. Throws if the output ends without an address. */
  static async of(errorOutput: Readable): Promise<DevTools> {
    let printed = ''
    for await (const line of createInterface({ input: errorOutput })) {
      const [, address] = /^DevTools listening on (ws:\S+)/.exec(line) ?? []
      if (address === undefined) {
        printed += `${line}\n`
        continue
      }
      const socket = new WebSocket(address)
      await once(socket, 'open')
      return new DevTools(socket)
    }
    throw new Error(`the browser has no DevTools: ${printed}`)
  }

  /** Sends a command to the browser, or to the page of a session; returns the result. */
  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    const id = (this.#lastId += 1)
    const pending = Promise.withResolvers<Params>()
    this.#pending.set(id, pending)
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    return pending.promise
  }

  /** Calls `listener` for the events of a session; returns a function that ends the calls. */
  listen(sessionId: string, listener: (method: string, params: Params) => void): () => void {
    const each = (message: Message): void => {
      if (message.sessionId === sessionId && message.method) listener(message.method, message.params ?? {})
    }
    this.#listeners = [...this.#listeners, each]
    return () => void (this.#listeners = this.#listeners.filter(other => other !== each))
  }

  close(): void {
    this.#socket.close()
  }

  #receive(message: Message): void {
    for (const listener of this.#listeners) listener(message)
    const pending = this.#pending.get(message.id ?? 0)
    if (pending === undefined) return
    this.#pending.delete(message.id ?? 0)
    if (message.error) pending.reject(new Error(message.error.message))
    else pending.resolve(message.result ?? {})
  }
}
