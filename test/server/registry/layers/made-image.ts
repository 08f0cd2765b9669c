import { createHash } from 'node:crypto'
import type { ImageLayer, Inventory } from '../../../../domain/registry/scanning/inventory.ts'
import { ImageReader } from '../../../../server/registry/layers/image-reader.ts'
import { layerLimits, type LayerLimits } from '../../../../server/registry/layers/limits.ts'
import { ThreadLayerReader } from '../../../../server/registry/layers/thread-layer-reader.ts'
import { tarOf, type MadeEntry } from './tar-maker.ts'

export const ociLayer = 'application/vnd.oci.image.layer.v1.tar'

/** Returns a layer of packed or plain bytes, which are given away in pieces. */
export const layerOf = (bytes: Buffer, media_type = `${ociLayer}+gzip`, pieceBytes = 65_536): ImageLayer => ({
  digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  media_type,
  size_bytes: bytes.length,
  open: async () => streamOf(bytes, pieceBytes),
})

function streamOf(bytes: Buffer, pieceBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(Uint8Array.from(bytes.subarray(at, at + pieceBytes)))
      at += pieceBytes
    },
  })
}

const signal = new AbortController().signal

/** Reads the inventory of an image of layers, the lowest first, in a thread as the server does. */
export const inventoryInThread = (layers: readonly ImageLayer[], limits?: LayerLimits): Promise<Inventory> =>
  new ThreadLayerReader(limits).read(layers, signal)

/** Reads the inventory of an image of layers, the lowest first, without a thread: its start takes longer than most tests. */
export const inventoryOfLayers = (layers: readonly ImageLayer[], limits = layerLimits): Promise<Inventory> =>
  new ImageReader(
    layers.map(layer => ({ ...layer, open: () => bytesOf(layer) })),
    limits,
  ).read()

async function* bytesOf(layer: ImageLayer): AsyncGenerator<Buffer> {
  const source = (await layer.open()).getReader()
  for (let { value } = await source.read(); value !== undefined; { value } = await source.read())
    yield Buffer.from(value.buffer, value.byteOffset, value.length)
}

/** Reads the inventory of an image whose layers are plain archives of entries, the lowest first. */
export const inventoryOfEntries = (...layers: readonly (readonly MadeEntry[])[]): Promise<Inventory> =>
  inventoryOfLayers(layers.map(entries => layerOf(tarOf(...entries), ociLayer)))

/** Returns `name version` of each package of an inventory. */
export const namesOf = ({ packages }: Inventory): readonly string[] =>
  packages.map(({ name, version }) => `${name} ${version}`)
