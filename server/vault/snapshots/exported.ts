import type { Collection } from '../../../domain/ports/store.ts'
import { vault } from '../../../domain/vault/area.ts'
import { liveCollection } from '../../../domain/vault/certificates/live-certificates.ts'
import { sealCollections } from '../../../domain/vault/seal/seal-store.ts'
import { snapshotMarks } from '../../../domain/vault/snapshots/snapshot-marks.ts'

/**
 * Returns the collections that a snapshot holds: all of the vault's declaration, the keys of the seal first. The marks of
 * snapshots belong to a store, operation records to the history of its servers, and the numbers of live certificates
 * follow from the certificates, so a snapshot leaves them out.
 */
export function exportedCollections(): readonly Collection<never>[] {
  const all: readonly Collection<never>[] = [...vault.kinds.map(({ collection }) => collection), ...vault.collections]
  const left = new Set([...sealCollections, liveCollection, snapshotMarks].map(({ name }) => name))
  return [...sealCollections, ...all.filter(({ name }) => !left.has(name))]
}
