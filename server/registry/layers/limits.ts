/** The limits of the reading of an image. */
export interface LayerLimits {
  /** The most bytes to which all layers unpack. */
  readonly unpackedBytes: number
  /** The most entries of all layers, with the folders that only the paths of entries name. */
  readonly entries: number
  /** The longest time of the reading in milliseconds. */
  readonly timeMs: number
  /** The largest heap of the thread in MiB. */
  readonly heapMib: number
}

export const layerLimits: LayerLimits = {
  unpackedBytes: 4 * 1024 ** 3,
  entries: 500_000,
  timeMs: 600_000,
  heapMib: 512,
}
