/** All conditions of an upload of `hello`, as a call signs them. */
export const uploadConditions = {
  content_type: 'text/plain',
  content_length: 5,
  checksum_sha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  content_md5: 'XUFAKrxLKna5cZ2REBfFkg==',
  content_disposition: 'attachment; filename="a.txt"',
  content_language: 'en',
  content_encoding: 'identity',
  cache_control: 'max-age=60',
  if_none_match: '*',
  custom_metadata: { a: 'one', b: 'two' },
} as const
