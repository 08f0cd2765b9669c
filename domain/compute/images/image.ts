import type { BootImage } from '../drivers/driver.ts'

/** An image of the catalogue (compute.md 1). */
export interface Image extends BootImage {
  /** The operating system, for people. */
  readonly os: string
  readonly min_disk_gib: number
  readonly min_memory_mib: number
  /** The path of the image on the host of a driver that needs one. */
  readonly file?: string
  /** The address from which a driver fetches the image; `sha256` is then the digest of the image in hex. */
  readonly url?: string
  readonly sha256?: string
}
