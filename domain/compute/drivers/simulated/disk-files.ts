import type { BootBytes, Disk } from '../driver.ts'

/**
 * The sparse files that stand for the disks of simulated machines. The files have the sizes of the disks, and no content
 * but that of a boot disk from an object. Every call is idempotent, and returns false if the host refuses the change; the implementation logs the
 * cause.
 */
export interface DiskFiles {
  /** Gives the file of a disk the size of the disk, and creates an absent file; a size of 0 deletes the file. */
  set(vm: string, disk: Disk): boolean
  /**
   * Writes the content of a boot disk to the start of its file, which exists; bytes beyond the size of the disk are left
   * out. Throws the error of `chunks`, and the reason of `signal`.
   */
  fill(vm: string, disk: Disk, chunks: BootBytes, signal: AbortSignal): Promise<boolean>
  /** Deletes all files of a machine. */
  remove(vm: string): boolean
}
