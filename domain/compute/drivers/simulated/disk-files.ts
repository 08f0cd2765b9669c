import type { Disk } from '../driver.ts'

/**
 * The sparse files that stand for the disks of simulated machines. The files have the sizes of the disks and no
 * content. Every call is idempotent, and returns false if the host refuses the change; the implementation logs the
 * cause.
 */
export interface DiskFiles {
  /** Gives the file of a disk the size of the disk, and creates an absent file; a size of 0 deletes the file. */
  set(vm: string, disk: Disk): boolean
  /** Deletes all files of a machine. */
  remove(vm: string): boolean
}
