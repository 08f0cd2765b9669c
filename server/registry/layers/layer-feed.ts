import type { ImageLayer } from '../../../domain/registry/scanning/inventory.ts'
import type { Pull } from './messages.ts'

type Source = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** Reads the bytes of layers piece by piece, one layer at a time. */
export class LayerFeed {
  readonly #layers: readonly ImageLayer[]
  #opening = 0
  #source: Source | undefined
  #readBytes = 0
  #turn: Promise<Uint8Array<ArrayBuffer> | undefined> = Promise.resolve(undefined)

  constructor(layers: readonly ImageLayer[]) {
    this.#layers = layers
  }

  /** Returns the next bytes of a layer, as a copy to be given away; undefined at its end. Throws the errors of the blob store. */
  next(pull: Pull): Promise<Uint8Array<ArrayBuffer> | undefined> {
    // The bytes of an earlier opening, which nobody waits for any more, may still be read.
    this.#turn = this.#turn.then(() => this.#next(pull))
    return this.#turn
  }

  async #next({ layer: index, opening }: Pull): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const layer = this.#layers[index]
    if (layer === undefined) throw new Error(`there is no layer ${index}`)
    if (opening !== this.#opening) {
      await this.close()
      this.#opening = opening
      this.#readBytes = 0
      this.#source = (await layer.open()).getReader()
    }
    const { value } = (await this.#source?.read()) ?? {}
    if (value !== undefined) {
      this.#readBytes += value.length
      return value.slice()
    }
    if (this.#readBytes < layer.size_bytes)
      throw new Error(`the blob store ended ${layer.digest} after ${this.#readBytes} of ${layer.size_bytes} bytes`)
    return undefined
  }

  /** Ends the layer that is read. */
  async close(): Promise<void> {
    const source = this.#source
    this.#source = undefined
    // A source that has failed has reported this to the reader.
    await source?.cancel().catch(() => {})
  }
}
