import type { Image } from './image.ts'

/** The images that every platform has (compute.md 1). */
export const builtInImages: readonly Image[] = [
  { name: 'blank', os: 'none', min_disk_gib: 1, min_memory_mib: 128, boot_ms: 500 },
  { name: 'tiny', os: 'test guest', min_disk_gib: 1, min_memory_mib: 128, boot_ms: 500 },
  { name: 'alpine-3.20', os: 'Alpine Linux 3.20', min_disk_gib: 1, min_memory_mib: 128, boot_ms: 3000 },
  { name: 'debian-13', os: 'Debian 13', min_disk_gib: 10, min_memory_mib: 512, boot_ms: 8000 },
  { name: 'ubuntu-24.04', os: 'Ubuntu 24.04', min_disk_gib: 10, min_memory_mib: 1024, boot_ms: 10_000 },
]
