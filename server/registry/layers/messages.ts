import type { FoundPackage, ImageLayer, LayerFault } from '../../../domain/registry/scanning/inventory.ts'
import type { OperatingSystem } from '../../../domain/registry/scanning/sources/os-release.ts'
import type { LayerLimits } from './limits.ts'

/** The work of a thread: one image. */
export interface ThreadWork {
  /** The layers of the image, the lowest first. */
  readonly layers: readonly Pick<ImageLayer, 'digest' | 'media_type'>[]
  readonly limits: LayerLimits
}

/** A request for the next bytes of a layer. Each opening of a layer has a number of its own, and begins at the first byte. */
export interface Pull {
  readonly kind: 'pull'
  readonly layer: number
  readonly opening: number
}

/** The messages of the thread; each `pull` and each `packages` is answered before the next message. */
export type FromThread =
  | Pull
  | { readonly kind: 'packages'; readonly packages: readonly FoundPackage[] }
  | { readonly kind: 'done'; readonly os: OperatingSystem | undefined; readonly unsupported: readonly string[] }
  | { readonly kind: 'fault'; readonly fault: LayerFault['kind']; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/** The messages to the thread: the next bytes of a layer, undefined at its end; and that it may send more packages. */
export type ToThread =
  | { readonly kind: 'bytes'; readonly opening: number; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'more' }
