import { createHash } from 'node:crypto'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { putArtifact } from '../../../../domain/registry/artifacts/put-artifact.ts'
import { linkBlob } from '../../../../domain/registry/blobs/link-blob.ts'
import { parseManifest } from '../../../../domain/registry/manifests/parse-manifest.ts'
import { chargeUsage } from '../../../../domain/registry/quotas/charge-usage.ts'
import { repositoryCollection } from '../../../../domain/registry/repositories/repositories-store.ts'
import { callContext } from '../../../call-context.ts'
import { ociImage, ociIndex, type SentDescriptor } from '../../../domain/registry/oci-client.ts'

/** The number of artifacts of a group. */
export const groupSize = 10

/** The artifacts of one group: an index with three children and a referrer, and five images. */
export interface Group {
  /** The tag `v<n>` for each tenth group, which a rule keeps; otherwise `dev-<n>`. */
  readonly indexTag: string
  /** What the index holds: itself, its children and its referrer. */
  readonly held: readonly string[]
  /** The first four have a tag `dev-<n>-<k>`. */
  readonly images: readonly string[]
}

const clock = { now: () => Date.now(), newId: () => crypto.randomUUID() }

/** Pushes a group to a repository as a client would, but without files: the store has all of its rows. */
export async function pushGroup(tx: Transaction, repository: string, n: number): Promise<Group> {
  const push = (manifest: object, tag: string, mediaType = ociImage) => pushed(tx, repository, manifest, tag, mediaType)
  const image = async (name: string, tag: string, subject?: SentDescriptor): Promise<SentDescriptor> => {
    const layers = [await blob(tx, repository, `${name} layer`, 1_000_000)]
    const config = await blob(tx, repository, `${name} config`, 1000)
    return push({ schemaVersion: 2, mediaType: ociImage, config, layers, ...(subject && { subject }) }, tag)
  }
  const children = []
  for (const k of [0, 1, 2]) children.push(await image(`${n} child ${k}`, ''))
  const indexTag = n % 10 === 0 ? `v${n}` : `dev-${n}`
  const index = await push({ schemaVersion: 2, mediaType: ociIndex, manifests: children }, indexTag, ociIndex)
  const referrer = await image(`${n} sbom`, '', index)
  const images = []
  for (const k of [0, 1, 2, 3, 4]) images.push((await image(`${n} image ${k}`, k < 4 ? `dev-${n}-${k}` : '')).digest)
  return { indexTag, held: [index, ...children, referrer].map(({ digest }) => digest), images }
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Makes a blob visible in the repository; its bytes are nowhere. */
async function blob(tx: Transaction, repository: string, name: string, size: number): Promise<SentDescriptor> {
  const locked = await tx.lock(repositoryCollection, repository)
  if (!locked) throw new Error('there is no repository')
  const digest = digestOf(name)
  const time = new Date().toISOString()
  const linked = await linkBlob(
    tx,
    locked.value,
    { digest, size, file: `blobs/sha256/00/${digest.slice(7)}.bench` },
    time,
  )
  await chargeUsage(tx, locked, { bytes: linked?.bytes ?? 0 }, time)
  return { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size }
}

async function pushed(
  tx: Transaction,
  repository: string,
  manifest: object,
  tag: string,
  mediaType: string,
): Promise<SentDescriptor> {
  const locked = await tx.lock(repositoryCollection, repository)
  if (!locked) throw new Error('there is no repository')
  const bytes = new TextEncoder().encode(JSON.stringify(manifest))
  const parsed = parseManifest(bytes, mediaType)
  const digest = digestOf(parsed.text)
  const given = {
    ...parsed,
    digest,
    bytes: bytes.length,
    tags: tag === '' ? [] : [tag],
    facts: {},
    principalId: undefined,
  }
  const context = callContext({ now: Date.now() })
  await putArtifact({ clock }, tx, locked, given, {
    context,
    refuse({ missing }) {
      if (missing.length > 0) throw new Error(`the manifest names ${missing[0]}, which is missing`)
    },
  })
  return { mediaType, digest, size: bytes.length }
}
