import { createHash } from 'node:crypto'
import type { DriverVm } from '../driver.ts'

/** The durations of the changes of a simulated machine, in milliseconds (compute.md 6). */
export interface Durations {
  readonly provision: number
  readonly boot: number
  readonly shutdown: number
  readonly suspend: number
  readonly resume: number
  readonly destroy: number
}

/** The boot time of a machine whose image has left the catalogue, in milliseconds. */
const unknownBootMs = 500

/** Returns the durations of a machine at a time scale; at 0 no change takes time. */
export function durationsOf({ disks, id, image, memory_mib }: DriverVm, timeScale: number): Durations {
  const factor = timeScale * spread(id)
  const after = (ms: number): number => Math.round(ms * factor)
  const [bootDisk] = disks
  const suspend = 1000 + 1000 * (memory_mib / 1024)
  return {
    provision: after(Math.min(10_000, 2000 + 100 * (bootDisk?.size_gib ?? 0))),
    boot: after(image?.boot_ms ?? unknownBootMs),
    shutdown: after(3000),
    suspend: after(suspend),
    resume: after(suspend / 2),
    destroy: after(1000),
  }
}

/** Returns a factor from 0.9 to 1.1, always the same for one machine. */
export function spread(id: string): number {
  const part = createHash('sha256').update(id).digest().readUInt32BE(0)
  return 0.9 + (0.2 * part) / 0xffff_ffff
}
