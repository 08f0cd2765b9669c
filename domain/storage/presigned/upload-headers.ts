import type { CustomMetadata, ParsedCreatePresignedUploadUrlBody } from '../../../output/storage/types.ts'

/** The prefix of the headers of custom metadata. */
export const metadataPrefix = 'x-amz-meta-'

/** The header with the SHA-256 of a body in Base64. */
export const sha256Header = 'x-amz-checksum-sha256'

/** The members of an object that an upload gives by headers, keyed by header. */
export const uploadedMembers = {
  'cache-control': 'cache_control',
  'content-disposition': 'content_disposition',
  'content-encoding': 'content_encoding',
  'content-language': 'content_language',
} as const

/** Returns the headers that an upload must send, keyed by lower-case name. */
export function uploadHeaders(body: ParsedCreatePresignedUploadUrlBody): Readonly<Record<string, string>> {
  const headers = {
    'content-type': body.content_type,
    'content-length': body.content_length === undefined ? '' : String(body.content_length),
    'content-md5': body.content_md5,
    'if-none-match': body.if_none_match,
    [sha256Header]: body.checksum_sha256,
    ...Object.fromEntries(Object.entries(uploadedMembers).map(([header, member]) => [header, body[member]])),
  }
  const conditions = Object.entries(headers).filter(([, value]) => value !== '')
  const custom = Object.entries(body.custom_metadata).map(([key, value]) => [`${metadataPrefix}${key}`, value])
  return Object.fromEntries([...conditions, ...custom])
}

/** Returns the custom metadata of the headers of an upload. */
export const customMetadata = (headers: Readonly<Record<string, string | undefined>>): CustomMetadata =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(metadataPrefix) && value !== undefined ? [[name.slice(metadataPrefix.length), value]] : [],
    ),
  )
