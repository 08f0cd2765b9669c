import type { ContentFaultKind } from '../../domain/storage/contents/content-files.ts'
import { engineUnavailable } from '../../output/shared/errors.ts'

/** Returns ENGINE_UNAVAILABLE for a fault of the place of the blobs, with the time after which a client may try again. */
export const blobStoreUnavailable = (kind: ContentFaultKind) =>
  engineUnavailable(
    kind === 'full' ? 'the blob store of the registry is full' : 'the blob store of the registry cannot be used',
    { retryAfterSeconds: kind === 'busy' ? 5 : 60 },
  )
