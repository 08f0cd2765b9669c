import type { MultipartUpload } from '../../../output/storage/types.ts'
import type { ClockStates } from '../../resources/state-by-clock.ts'

const [active, expired] = ['STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE', 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED'] as const

/** Returns the state of an upload at a time in milliseconds since 1970: an ACTIVE upload expires by the clock. */
export const uploadStateAt = (
  { expire_time, state }: Pick<MultipartUpload, 'expire_time' | 'state'>,
  nowMs: number,
): MultipartUpload['state'] => (state === active && Date.parse(expire_time) <= nowMs ? expired : state)

/** The states of uploads by which lists filter. */
export const uploadStates: ClockStates = { active, expired, time: 'expire_time' }
