import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { tagsOf } from '../artifacts/artifact-tags.ts'
import { artifactCollection, manifestCollection, rowOf, type StoredArtifact } from '../artifacts/artifacts-store.ts'
import { olderTypes } from '../artifacts/older-types.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import { tagCollection } from '../artifacts/tags-store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import { ManifestFault, parseManifest } from '../manifests/parse-manifest.ts'
import { artifactSize, blobsOf, childrenOf, requiredBlobs, typeOfArtifact } from '../manifests/references.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { digestOf, parseDigest } from '../values/digest.ts'
import { deletingRepositories } from './deleting-repositories.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

const resourceType = 'registry.artifacts'

/** Checks that artifacts are as their manifests say, that their tags and indexes agree, and that nothing is left over. */
export async function* inspectArtifacts(reader: Reader): Findings {
  const deleting = await deletingRepositories(reader)
  const areTyped = (await reader.get(olderTypes, 'types'))?.value.is_done === true
  const isLeft = (repository: string): boolean => !deleting.has(repository)
  for await (const { id, value } of reader.each(artifactCollection)) {
    if (!isLeft(value.repository_id)) continue
    for (const message of await tagFaults(reader, value)) yield { resourceType, id, message }
    for (const message of await manifestFaults(reader, value, areTyped)) yield { resourceType, id, message }
  }
  for await (const { id, value } of reader.each(tagCollection))
    if (
      isLeft(value.repository_id) &&
      !(await reader.get(artifactCollection, rowOf(value.repository_id, value.digest)))
    )
      yield { resourceType: 'registry.tags', id, message: `points at ${value.digest}, which does not exist` }
  for await (const { id } of reader.each(manifestCollection))
    if (!(await reader.get(artifactCollection, id)))
      yield { resourceType, id, message: 'does not exist, but its manifest does' }
  for await (const { id, value } of reader.each(referenceCollection))
    if (
      isLeft(value.repository_id) &&
      !(await reader.get(artifactCollection, rowOf(value.repository_id, value.digest)))
    )
      yield { resourceType, id: rowOf(value.repository_id, value.digest), message: `does not exist, but names ${id}` }
}

async function tagFaults(reader: Reader, artifact: StoredArtifact): Promise<readonly string[]> {
  const { digest, repository_id, tag_count, tags: shown } = artifact
  const tags = await tagsOf(reader, repository_id, digest)
  const faults = tag_count === tags.length ? [] : [`has tag_count ${tag_count}; ${tags.length} tags point at it`]
  const names = new Set(tags.map(({ name }) => name))
  const wrong = shown.filter(({ name }) => !names.has(name))
  const expected = Math.min(tags.length, 100)
  if (wrong.length > 0 || shown.length !== expected)
    faults.push(`shows ${shown.length} tags, ${wrong.length} of them wrong; it must show ${expected}`)
  return faults
}

/** Compares the type of an artifact with its manifest; an older artifact has none until `areTyped`. */
function typeFaults({ artifact_type }: StoredArtifact, manifest: Manifest, areTyped: boolean): readonly string[] {
  const expected = typeOfArtifact(manifest)
  const isRight = artifact_type === expected || (artifact_type === '' && !areTyped)
  return isRight ? [] : [`has artifact_type "${artifact_type}"; its manifest says "${expected}"`]
}

async function manifestFaults(reader: Reader, artifact: StoredArtifact, areTyped: boolean): Promise<readonly string[]> {
  const { digest, manifest_size_bytes, media_type, row_id, size_bytes } = artifact
  const stored = await reader.get(manifestCollection, row_id)
  if (!stored) return ['has no manifest']
  const bytes = new TextEncoder().encode(stored.value.text)
  const algorithm = parseDigest(digest)?.algorithm ?? 'sha256'
  if (digestOf(algorithm, bytes) !== digest) return ['has a manifest of another digest']
  try {
    const { manifest } = parseManifest(bytes, media_type)
    const isRightSize = manifest_size_bytes === bytes.length && size_bytes === artifactSize(manifest, bytes.length)
    return [
      ...typeFaults(artifact, manifest, areTyped),
      ...(isRightSize ? [] : [`has ${manifest_size_bytes} and ${size_bytes} bytes; its manifest says otherwise`]),
      ...(await namedFaults(reader, artifact, manifest)),
      ...(await blobFaults(reader, artifact, manifest)),
    ]
  } catch (error) {
    if (!(error instanceof ManifestFault)) throw error
    return [`has a manifest that cannot be read: ${error.message}`]
  }
}

/** Compares what a manifest names with the rows of its references, and with the indexes that list it. */
async function namedFaults(reader: Reader, artifact: StoredArtifact, manifest: Manifest): Promise<readonly string[]> {
  const { digest, parents, repository_id } = artifact
  const expected = new Set([
    ...childrenOf(manifest).map(target => `CHILD ${target}`),
    ...blobsOf(manifest).map(blob => `BLOB ${blob.digest}`),
    ...(manifest.subject ? [`SUBJECT ${manifest.subject.digest}`] : []),
  ])
  const faults: string[] = []
  for await (const { value } of reader.each(referenceCollection, { repository_id, digest }))
    if (!expected.delete(`${value.kind} ${value.target}`)) faults.push(`is said to name ${value.kind} ${value.target}`)
  for (const missing of expected) faults.push(`names ${missing}, which is not recorded`)
  const listing = new Set<string>()
  const lists = { repository_id, kind: 'CHILD', target: digest } as const
  for await (const { value } of reader.each(referenceCollection, lists)) listing.add(value.digest)
  if (listing.size !== parents.length || !parents.every(parent => listing.has(parent)))
    faults.push(`has ${parents.length} parents; ${listing.size} indexes list it`)
  return faults
}

async function blobFaults(
  reader: Reader,
  { repository_id }: StoredArtifact,
  manifest: Manifest,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const digest of requiredBlobs(manifest))
    if (!(await reader.get(linkCollection, rowOf(repository_id, digest))))
      faults.push(`names blob ${digest}, which its repository lacks`)
  return faults
}
