import type { Collection, Transaction } from '../../ports/store.ts'

/** The version of an object from which the boot disk of a machine is made. The row goes with the machine. */
export interface StoredBootSource {
  /** The id of the machine. */
  readonly vm_id: string
  readonly version_id: string
}

/** The versions from which boot disks are made; a machine with another boot disk has no row. */
export const bootSources: Collection<StoredBootSource> = { name: 'compute_boot_sources', id: 'vm_id' }

/** Deletes the row of a machine, if there is one. */
export async function forgetSource(tx: Transaction, vm: string): Promise<void> {
  const stored = await tx.get(bootSources, vm)
  if (stored) await tx.delete(bootSources, vm, stored.version)
}
