import type { Collection, Stored, Transaction, Where } from '../../ports/store.ts'
import { artifactCollection, manifestCollection } from '../artifacts/artifacts-store.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import { tagCollection } from '../artifacts/tags-store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import { unlinkBlobs } from '../blobs/unlink-blob.ts'
import {
  findingsCollection,
  packagesCollection,
  scanCollection,
  waitingCollection,
} from '../scan-results/scans-store.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'

/** The number of rows of each collection that one transaction deletes. */
const batchSize = 100

/**
 * Deletes a batch of the content of a repository, whatever protects it: tags, artifacts, links of blobs and uploads. The
 * files of blobs and uploads that no row names any more are collected later. Returns whether nothing is left. The row of
 * the repository, which counts the content, is about to be deleted and stays as it is.
 */
export async function purgeContent(tx: Transaction, repository: string, now: number): Promise<boolean> {
  const where = { repository_id: repository }
  const artifacts = await first(tx, artifactCollection, where)
  for (const { id, version } of artifacts) {
    const manifest = await tx.get(manifestCollection, id)
    if (manifest) await tx.delete(manifestCollection, id, manifest.version)
    await tx.delete(artifactCollection, id, version)
  }
  const tags = await deleteFirst(tx, tagCollection, where)
  const references = await deleteFirst(tx, referenceCollection, where)
  const uploads = await deleteFirst(tx, uploadCollection, where)
  const links = await first(tx, linkCollection, where)
  await unlinkBlobs(tx, links, now)
  const scans = await deleteFirst(tx, scanCollection, where)
  const waiting = await deleteFirst(tx, waitingCollection, where)
  const findings = await deleteFirst(tx, findingsCollection, where)
  const packages = await deleteFirst(tx, packagesCollection, where)
  const deleted = [artifacts.length, tags, references, uploads, scans, waiting, findings, packages, links.length]
  return deleted.every(count => count < batchSize)
}

/** Deletes up to a batch of rows, and returns their number. */
async function deleteFirst<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<number> {
  const rows = await first(tx, collection, where)
  for (const { id, version } of rows) await tx.delete(collection, id, version)
  return rows.length
}

async function first<T>(tx: Transaction, collection: Collection<T>, where: Where<T>): Promise<readonly Stored<T>[]> {
  const rows: Stored<T>[] = []
  for await (const row of tx.each(collection, where)) {
    rows.push(row)
    if (rows.length === batchSize) break
  }
  return rows
}
