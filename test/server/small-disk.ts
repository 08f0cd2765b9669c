import { execFileSync } from 'node:child_process'
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { testFolder } from './store/harness.ts'

/**
 * Mounts a disk of `kib` KiB until the end of the running test; returns its path, or undefined if this user may not
 * mount disks.
 */
export function smallDisk(kib: number): string | undefined {
  const disk = join(testFolder(), 'disk')
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'ninefold-test', disk], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  return disk
}

/** Fills a disk so that `kib` KiB remain free. */
export function fill(disk: string, kib: number): void {
  writeFileSync(join(disk, 'filler'), '')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - kib * 1024))
}

/** The reason why tests of a small disk are skipped. */
export const needsMount = 'only an administrator with the right to mount can mount a small disk'
