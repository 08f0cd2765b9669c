import type { ScannedOs } from '../../../output/registry/types.ts'

/** A package that the scanner found in an image. */
export interface FoundPackage {
  /** The ecosystem as OSV writes it: `Debian:12`, `Alpine:v3.20`, `npm`, `PyPI`, `Go`, `Maven`, `RubyGems`. */
  readonly ecosystem: string
  /** The name as the ecosystem writes it; of Maven `group:artifact`. */
  readonly name: string
  readonly version: string
  /** The source package, where advisories are about source packages (Debian, Alpine). */
  readonly source?: { readonly name: string; readonly version: string } | undefined
  /** The package URL. */
  readonly purl: string
  /** The file that names the package, without a slash at its start: `var/lib/dpkg/status`. */
  readonly path: string
  /** The digest of the layer that holds this file. */
  readonly layer_digest: string
}

/** The packages and the operating system that an image contains. */
export interface Inventory {
  /** The operating system; absent if the image has none. */
  readonly os?: ScannedOs | undefined
  /** The packages in the order of their ecosystem, name, version and path. */
  readonly packages: readonly FoundPackage[]
  /** Descriptions of sources of packages that were seen and could not be read. */
  readonly unsupported: readonly string[]
}

/** A layer of an image. */
export interface ImageLayer {
  readonly digest: string
  readonly media_type: string
  /** The size of the blob in bytes. */
  readonly size_bytes: number
  /** Opens the bytes of the blob. Throws ENGINE_UNAVAILABLE if the blob store cannot be used. */
  open(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
}

/** Finds out what is installed in images, off the event loop and in bounded memory. */
export interface LayerReader {
  /**
   * Returns what is installed in an image whose layers are given in the order of the manifest, the lowest first. Throws a
   * `LayerFault` for layers that unpack to too much or cannot be read, and the reason of `signal` once it is aborted.
   */
  read(layers: readonly ImageLayer[], signal: AbortSignal): Promise<Inventory>
}

/** A fault of the layers of an image, which a repeated scan meets again. */
export class LayerFault extends Error {
  /** `limit`: the layers unpack to too much; `unreadable`: they are no layers. */
  readonly kind: 'limit' | 'unreadable'

  constructor(kind: LayerFault['kind'], message: string) {
    super(message)
    this.name = 'LayerFault'
    this.kind = kind
  }
}
