/** What faults of connections mean, by the beginning of their code. */
const sentences: readonly (readonly [code: string, sentence: string])[] = [
  ['ECONNREFUSED', 'the host refused the connection'],
  ['ECONNRESET', 'the connection ended before the whole response'],
  ['ERR_STREAM_PREMATURE_CLOSE', 'the connection ended before the whole response'],
  ['EPIPE', 'the connection ended before the whole request'],
  ['ENOTFOUND', 'the name of the host has no address'],
  ['EAI_', 'the name of the host could not be resolved'],
  ['ETIMEDOUT', 'the host cannot be reached'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the host cannot be reached'],
  ['EADDRNOTAVAIL', 'the host cannot be reached'],
  ['HPE_HEADER_OVERFLOW', 'the headers of the response are too large'],
  ['HPE_', 'the response is no valid HTTP'],
  ['Z_', 'the body of the response is no valid gzip'],
  ['ERR_INVALID_CHAR', 'a header of the request has a character that HTTP does not allow'],
  ['ERR_INVALID_HTTP_TOKEN', 'a header of the request has a name that HTTP does not allow'],
  ['ERR_SSL_', 'the host does not speak TLS as expected'],
  ['EPROTO', 'the host does not speak TLS as expected'],
]

/** The codes of certificates that are not trusted. */
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|^HOSTNAME_MISMATCH$/

/** Returns the cause of the failure of a request, as a sentence without values of the request. */
export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === '') return error.message
  if (certificateCode.test(code)) return `the certificate of the host is not trusted (${code})`
  return sentences.find(([beginning]) => code.startsWith(beginning))?.[1] ?? `the request failed (${code})`
}
