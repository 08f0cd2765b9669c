import type { Transaction } from '../../ports/store.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { blobsOf, childrenOf, typeOfArtifact } from '../manifests/references.ts'
import { rowOf } from './artifacts-store.ts'
import { referenceCollection, type ReferenceKind, type StoredReference } from './references-store.ts'

/** Inserts the rows of the digests that a new manifest names. */
export async function insertReferences(
  tx: Transaction,
  repository: string,
  digest: string,
  manifest: Manifest,
): Promise<void> {
  const row = (kind: ReferenceKind, target: string): StoredReference => ({
    id: `${rowOf(repository, digest)}/${kind}/${target}`,
    repository_id: repository,
    digest,
    kind,
    target,
    artifact_type: kind === 'SUBJECT' ? typeOfArtifact(manifest) : '',
  })
  await tx.insertAll(referenceCollection, [
    ...childrenOf(manifest).map(child => row('CHILD', child)),
    ...blobsOf(manifest).map(({ digest: blob }) => row('BLOB', blob)),
    ...(manifest.subject ? [row('SUBJECT', manifest.subject.digest)] : []),
  ])
}

/** Deletes the rows of a manifest, and returns them. */
export async function deleteReferences(
  tx: Transaction,
  repository: string,
  digest: string,
): Promise<readonly StoredReference[]> {
  const own = { repository_id: repository, digest }
  const deleted: StoredReference[] = []
  for await (const { value } of tx.each(referenceCollection, own)) deleted.push(value)
  await tx.deleteAll(referenceCollection, own)
  return deleted
}
