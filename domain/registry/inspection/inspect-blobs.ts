import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { blobCollection, linkCollection } from '../blobs/blobs-store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

const resourceType = 'registry.blobs'

/** Checks that links name blobs and repositories that exist, and that blobs know whether a repository has them. */
export async function* inspectBlobs(reader: Reader): Findings {
  for await (const { id, value } of reader.each(linkCollection)) {
    const blob = (await reader.get(blobCollection, value.digest))?.value
    if (blob?.state !== 'LINKED' || blob.size !== value.size)
      yield { resourceType, id, message: `is linked with ${value.size} bytes, but is ${blob?.state ?? 'absent'}` }
    if (!(await reader.get(repositoryCollection, value.repository_id)))
      yield { resourceType, id, message: 'is linked to a repository that does not exist' }
  }
  for await (const { id, value } of reader.each(blobCollection)) {
    const isLinked = await reader.exists(linkCollection, { digest: id })
    if (isLinked !== (value.state === 'LINKED'))
      yield { resourceType, id, message: `is ${value.state}, but ${isLinked ? 'a' : 'no'} repository has it` }
  }
}
