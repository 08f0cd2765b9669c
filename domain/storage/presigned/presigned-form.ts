import type {
  CreatePartUrlsBodyInput,
  CreatePresignedDownloadUrlBodyInput,
  CreatePresignedUploadUrlBodyInput,
} from '../../../output/storage/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRules } from '../../../runtime/form-rules.ts'
import { parseDuration } from '../../../runtime/timestamps.ts'

/** The longest time in which a URL works, in seconds: seven days, the limit of Signature Version 4. */
const maxExpirySeconds = 604_800

/** The time in which a URL works unless the caller gives a time, in seconds. */
const defaultExpirySeconds = 900

const nanosecondsPerSecond = 1_000_000_000n

/** Returns the time in which a URL works in whole seconds; a fraction of a second counts as a second. */
export function expirySeconds(text: string | undefined): number {
  const nanoseconds = text === undefined ? undefined : parseDuration(text)
  return nanoseconds === undefined
    ? defaultExpirySeconds
    : Number((nanoseconds + nanosecondsPerSecond - 1n) / nanosecondsPerSecond)
}

function* expiryFaults({ expires_in }: { readonly expires_in?: string }): Generator<FieldViolation> {
  const seconds = expirySeconds(expires_in)
  if (seconds >= 1 && seconds <= maxExpirySeconds) return
  yield { field: 'expires_in', description: `must be from 1s to ${maxExpirySeconds}s` }
}

const download = rulesOf<CreatePresignedDownloadUrlBodyInput>()
const parts = rulesOf<CreatePartUrlsBodyInput>()
const upload = rulesOf<CreatePresignedUploadUrlBodyInput>()

/** The rules for the bodies of presigned URLs, which their schemas cannot express. */
export const presignedForms: FormRules = {
  createPartUrls: [
    parts(['expires_in'], expiryFaults),
    parts(['parts'], function* ({ parts: listed = [] }) {
      const numbers = listed.map(({ part_number }) => part_number)
      for (const [at, number] of numbers.entries())
        if (numbers.indexOf(number) < at)
          yield { field: `parts[${at}].part_number`, description: 'must not be given twice' }
    }),
  ],
  createPresignedDownloadUrl: [download(['expires_in'], expiryFaults)],
  createPresignedUploadUrl: [
    upload(['expires_in'], expiryFaults),
    upload(['content_length', 'max_content_length'], function* ({ content_length, max_content_length }) {
      if (content_length === undefined || max_content_length === undefined) return
      yield { field: 'max_content_length', description: 'cannot be given together with content_length' }
    }),
  ],
}
