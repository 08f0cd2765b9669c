import { gunzipSync } from 'node:zlib'
import { maxInflatedBytes, readable, tooManyBytes } from './payload-faults.ts'
import type { SentBody } from '../sent-body.ts'
import { decompressSnappy } from './snappy.ts'

/**
 * Returns the bytes of a body without its content coding. Stops at 64 MiB, so that a small body cannot fill the memory.
 * Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE.
 */
export function inflate({ body, coding }: Pick<SentBody, 'body' | 'coding'>): Uint8Array {
  switch (coding) {
    case 'gzip':
      return readable('is not valid gzip', () => gunzip(body))
    case 'snappy':
      return decompressSnappy(body)
    case 'identity':
      if (body.length > maxInflatedBytes) throw tooManyBytes()
      return body
    default:
      return coding satisfies never
  }
}

function gunzip(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: maxInflatedBytes })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooManyBytes() : error
  }
}
