import type { Collection, Stored, Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { ManifestFault, parseManifest } from '../manifests/parse-manifest.ts'
import { typeOfArtifact } from '../manifests/references.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { artifactCollection, manifestCollection, rowOf, type StoredArtifact } from './artifacts-store.ts'
import { referenceCollection } from './references-store.ts'

/** The single row that records how far the older artifacts have their types. */
export interface OlderTypes {
  readonly id: 'types'
  /** The id of the row of the last artifact that was looked at. */
  readonly after: string
  readonly is_done: boolean
}

/** The collection with the row, so that all artifacts are looked at once in the life of a store. */
export const olderTypes: Collection<OlderTypes> = { name: 'registry_older_types', id: 'id' }

/** The number of artifacts that one transaction looks at: their manifests are parsed. */
const batchSize = 20

/** The kinds of artifacts whose type may be that of their config. An index has no config. */
const kinds = ['REGISTRY_ARTIFACT_KIND_IMAGE', 'REGISTRY_ARTIFACT_KIND_ARTIFACT'] as const

/**
 * Returns the worker that gives artifacts the type of their config which were pushed while only `artifactType` of a manifest
 * counted. It goes on where a server that ended has stopped, and does nothing once all artifacts have their types.
 */
export function olderTypesWorker(): Worker {
  let isDone = false
  return {
    name: 'registry.artifactTypes',
    everyMs: 60_000,
    async run({ signal, tx }) {
      while (!isDone && !signal.aborted) {
        isDone = await tx(fillBatch)
        await nextTurn()
      }
    },
  }
}

/** Gives a batch of artifacts of one repository their types. Returns whether none is left. */
async function fillBatch(tx: Transaction): Promise<boolean> {
  const noted =
    (await tx.lock(olderTypes, 'types')) ?? (await tx.insert(olderTypes, { id: 'types', after: '', is_done: false }))
  if (noted.value.is_done) return true
  const ids = await nextIds(tx, noted.value.after)
  const last = ids.at(-1)
  const next = last === undefined ? { ...noted.value, is_done: true } : { ...noted.value, after: last }
  for (const id of ids) await fill(tx, id)
  await tx.update(olderTypes, 'types', next, noted.version)
  return next.is_done
}

/** Returns the ids of the next artifacts without a type, all of one repository, whose row is then locked. */
async function nextIds(tx: Transaction, after: string): Promise<readonly string[]> {
  const ids: string[] = []
  let repository: string | undefined
  for await (const { id, value } of tx.each(artifactCollection, { artifact_type: '', kind: kinds }, after)) {
    repository ??= value.repository_id
    if (value.repository_id !== repository) break
    ids.push(id)
    if (ids.length === batchSize) break
  }
  if (repository !== undefined) await tx.lock(repositoryCollection, repository)
  return ids
}

/** Gives an artifact the type that its manifest says, and the row by which it is found as a referrer. */
async function fill(tx: Transaction, id: string): Promise<void> {
  const artifact = await tx.get(artifactCollection, id)
  const artifact_type = artifact && (await typeIn(tx, artifact))
  if (!artifact || artifact_type === undefined) return
  await tx.update(artifactCollection, id, { ...artifact.value, artifact_type }, artifact.version)
  const { digest, repository_id, subject } = artifact.value
  const reference = await tx.get(referenceCollection, `${rowOf(repository_id, digest)}/SUBJECT/${subject}`)
  if (reference)
    await tx.update(referenceCollection, reference.id, { ...reference.value, artifact_type }, reference.version)
}

/** Returns the type in the manifest of an artifact; undefined if the manifest says none, or cannot be read any more. */
async function typeIn(tx: Transaction, { id, value }: Stored<StoredArtifact>): Promise<string | undefined> {
  const manifest = await tx.get(manifestCollection, id)
  if (!manifest) return undefined
  try {
    const parsed = parseManifest(new TextEncoder().encode(manifest.value.text), value.media_type)
    const type = typeOfArtifact(parsed.manifest)
    return type === '' ? undefined : type
  } catch (error) {
    if (error instanceof ManifestFault) return undefined
    throw error
  }
}
