import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { LayerFault } from '../../../domain/registry/scanning/inventory.ts'
import { ImageReader } from './image-reader.ts'
import type { FromThread, ThreadWork, ToThread } from './messages.ts'

/**
 * This thread reads the layers of one image and ends. The server sends their bytes on request, so that no more than two pieces
 * are on the way.
 */

/** The packages of one message: the server takes it in about a millisecond. */
const packagesOfMessage = 250

const work: ThreadWork = workerData

class ServerPort {
  readonly #port: MessagePort
  #openings = 0
  #taken: ((message: ToThread) => void) | undefined

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (message: ToThread) => this.#taken?.(message))
  }

  post(message: FromThread): void {
    this.#port.postMessage(message)
  }

  /** Yields the bytes of a layer, and asks for the next ones while the last ones are used. */
  async *bytesOf(layer: number): AsyncGenerator<Buffer> {
    const opening = ++this.#openings
    let next = this.#pull(layer, opening)
    for (let bytes = await next; bytes !== undefined; bytes = await next) {
      next = this.#pull(layer, opening)
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
  }

  /** Sends a message and waits until the server has taken it. */
  async sent(message: FromThread): Promise<void> {
    const taken = new Promise<void>(resolve => {
      this.#taken = ({ kind }) => {
        if (kind === 'more') resolve()
      }
    })
    this.post(message)
    await taken
  }

  #pull(layer: number, opening: number): Promise<Uint8Array | undefined> {
    return new Promise(resolve => {
      // The bytes of an earlier opening, which nobody reads any more, may still be on the way.
      this.#taken = message => {
        if (message.kind === 'bytes' && message.opening === opening) resolve(message.bytes)
      }
      this.post({ kind: 'pull', layer, opening })
    })
  }
}

async function read(port: ServerPort): Promise<void> {
  const layers = work.layers.map((layer, i) => ({ ...layer, open: () => port.bytesOf(i) }))
  try {
    const { os, packages, unsupported } = await new ImageReader(layers, work.limits).read()
    for (let i = 0; i < packages.length; i += packagesOfMessage)
      await port.sent({ kind: 'packages', packages: packages.slice(i, i + packagesOfMessage) })
    port.post({ kind: 'done', os, unsupported })
  } catch (error) {
    if (error instanceof LayerFault) port.post({ kind: 'fault', fault: error.kind, message: error.message })
    else port.post({ kind: 'failed', error })
  }
}

if (parentPort !== null) await read(new ServerPort(parentPort))
