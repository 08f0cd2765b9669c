/** The header with the CRC-32C of a content in Base64. */
export const crc32cHeader = 'x-amz-checksum-crc32c'

/** The header with the id of a version. */
export const versionHeader = 'x-amz-version-id'
