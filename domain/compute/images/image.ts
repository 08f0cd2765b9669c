import type { BootImage } from '../drivers/driver.ts'

/** An image of the catalogue (compute.md 1). */
export interface Image extends BootImage {
  /** The operating system, for people. */
  readonly os: string
  readonly min_disk_gib: number
  readonly min_memory_mib: number
  /** The path of the image on the host, for drivers that read images. */
  readonly file?: string
  /** The URL from which drivers fetch the image. An image with a URL has a `sha256`, the digest of the image in hex. */
  readonly url?: string
  readonly sha256?: string
}
