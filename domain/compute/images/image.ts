import type { BootImage } from '../drivers/driver.ts'

/** An image of the catalogue (compute.md 1). */
export interface Image extends BootImage {
  /** The operating system, for people. */
  readonly os: string
  readonly min_disk_gib: number
  readonly min_memory_mib: number
}
