import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request to be sent: its URL, and the headers that the URL demands. */
export interface Asked {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The beginning of an answer, and the number of the bytes of its body. */
export interface Answered {
  readonly status: number
  readonly head: string
  readonly bytes: number
}

/** The bytes of uploads: they do not repeat within a chunk. */
export const content = Buffer.from(Uint8Array.from({ length: 262_144 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 24))

/** Returns the text of a request with a body of a certain length. */
export function textOf(method: 'GET' | 'PUT', { headers = {}, url }: Asked, length: number): string {
  const { host, pathname, search } = new URL(url)
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`]
  const length_ = method === 'PUT' ? [`content-length: ${length}`] : []
  const given = Object.entries(headers).filter(([name]) => !/^(?:host|content-length)$/i.test(name))
  return [...lines, ...length_, ...given.map(header => header.join(': ')), '', ''].join('\r\n')
}

/**
 * Downloads a content on a connection of its own. The bytes are counted and passed to `take`, which must not keep them.
 * Throws if the connection ends before the answer.
 */
export function download(asked: Asked, take?: (chunk: Uint8Array) => void): Promise<Answered> {
  return exchange(asked, textOf('GET', asked, 0), async () => {}, take)
}

/** Uploads a content of a certain size on a connection of its own. Throws if the connection ends before the answer. */
export function upload(asked: Asked, size: number): Promise<Answered> {
  return exchange(asked, textOf('PUT', asked, size), async socket => {
    for (let sent = 0; sent < size; sent += content.length) {
      const chunk = size - sent < content.length ? content.subarray(0, size - sent) : content
      if (!socket.write(chunk)) await drained(socket)
    }
  })
}

/** Repeats a transfer that a busy server refuses with 503. */
export async function taken(transfer: () => Promise<Answered>): Promise<Answered> {
  for (;;) {
    const answered = await transfer()
    if (answered.status !== 503) return answered
    await sleep(100)
  }
}

const drained = (socket: Socket): Promise<void> =>
  new Promise(resolve => {
    const go = (): void => {
      socket.off('drain', go).off('close', go)
      resolve()
    }
    socket.on('drain', go).on('close', go)
    if (socket.destroyed) go()
  })

function exchange(
  { url }: Asked,
  text: string,
  send: (socket: Socket) => Promise<void>,
  take: (chunk: Uint8Array) => void = () => {},
): Promise<Answered> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const answer = new Arriving(take)
    const onread = {
      buffer: Buffer.allocUnsafe(262_144),
      callback: (length: number, buffer: Uint8Array): boolean => {
        answer.add(buffer.subarray(0, length))
        if (answer.isWhole) {
          resolve(answer.answered)
          socket.destroy()
        }
        return true
      },
    }
    const socket = connect({ host: hostname, port: Number(port), onread }).setNoDelay(true)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`the connection ended after ${answer.answered.bytes} bytes of the body`)))
    socket.write(text)
    send(socket).catch(reject)
  })
}

/** An answer as its bytes arrive. */
class Arriving {
  readonly #take: (chunk: Uint8Array) => void
  #head = ''
  #length: number | undefined
  #bytes = 0

  constructor(take: (chunk: Uint8Array) => void) {
    this.#take = take
  }

  get answered(): Answered {
    return { status: Number(this.#head.slice(9, 12)), head: this.#head, bytes: this.#bytes }
  }

  get isWhole(): boolean {
    return this.#length !== undefined && this.#bytes >= this.#length
  }

  add(chunk: Uint8Array): void {
    if (this.#length !== undefined) return this.#addBody(chunk)
    const text = this.#head + Buffer.from(chunk).toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    const before = this.#head.length
    this.#head = end === -1 ? text : text.slice(0, end + 4)
    if (end === -1) return
    this.#length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0)
    this.#addBody(chunk.subarray(end + 4 - before))
  }

  #addBody(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#take(chunk)
  }
}
