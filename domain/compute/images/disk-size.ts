import { qcow2HeaderOf } from './qcow2.ts'

const bytesPerGib = 2 ** 30

/** The largest size of a disk in GiB (compute.md 1). */
const maxGib = 65_536

/**
 * Returns the size in GiB, rounded up, of the disk that a file of `bytes` bytes stands for, which begins with `start`; or
 * the fault of a file that cannot be a disk, as the continuation of its name. With `format`, a raw file is a fault too.
 */
export function diskSizeOf(start: Uint8Array, bytes: number, format?: 'qcow2'): number | string {
  const qcow2 = qcow2HeaderOf(start, bytes)
  if (!qcow2 && format === 'qcow2') return 'is no qcow2 file; convert it with qemu-img convert'
  if (qcow2?.hasOtherFiles) return 'needs other files; flatten it with qemu-img convert'
  if (qcow2?.isEncrypted) return 'is encrypted; decrypt it with qemu-img convert'
  if (qcow2?.isTruncated) return 'is a truncated qcow2 file; upload it again'
  const virtual = qcow2?.virtualBytes ?? bytes
  if (virtual === 0) return 'is an empty disk; upload a disk'
  const minGib = Math.ceil(virtual / bytesPerGib)
  return minGib > maxGib ? `stands for a disk of more than ${maxGib} GiB; use a smaller disk` : minGib
}
