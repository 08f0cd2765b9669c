import type { Registry } from '../../ports/registry.ts'
import type { Collection, Transaction } from '../../ports/store.ts'

/** The content from which the boot disk of a machine is made. The row goes with the machine. */
export interface StoredBootSource {
  /** The id of the machine. */
  readonly vm_id: string
  /** The version of an object, or the digest of the layer of an artifact. */
  readonly version_id: string
}

/** The contents from which boot disks are made; a machine with another boot disk has no row. */
export const bootSources: Collection<StoredBootSource> = { name: 'compute_boot_sources', id: 'vm_id' }

/** Deletes the row of a machine, if there is one, and ends the lock of its artifact. */
export async function forgetSource(registry: Registry | undefined, tx: Transaction, vm: string): Promise<void> {
  const stored = await tx.get(bootSources, vm)
  if (stored) await tx.delete(bootSources, vm, stored.version)
  await registry?.unlock(tx, vm)
}
