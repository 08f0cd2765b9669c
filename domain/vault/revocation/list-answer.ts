import type { CertificateRevocationList, CryptoKeyAlgorithm } from '../../../output/vault/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { CurrentList } from '../revoked/current-lists.ts'

/** The number of bytes that are encoded before other calls have their turn: whole lines of PEM, of 48 bytes each. */
const bytesPerTurn = 48 * 2048

/**
 * Returns the answer with a list in PEM and in base64. The text is made in parts, because one conversion of a long list
 * blocks all other calls. OpenSSL reads a list only under the label `X509 CRL` (RFC 7468, 6).
 */
export async function listAnswer(
  { der, list }: CurrentList,
  signature_algorithm: CryptoKeyAlgorithm,
): Promise<JsonText<CertificateRevocationList>> {
  const pem: string[] = []
  const base64: string[] = []
  for (let start = 0; start < der.length; start += bytesPerTurn) {
    const text = der.toString('base64', start, start + bytesPerTurn)
    base64.push(text)
    // The newlines are escaped as JSON writes them; base64 has no character that JSON escapes.
    pem.push(text.replaceAll(/.{1,64}/g, String.raw`$&\n`))
    await nextTurn()
  }
  const { crl_number, id, next_update_time, revoked_count, this_update_time } = list
  const members: Omit<CertificateRevocationList, 'pem_crl' | 'der_crl'> = {
    certificate_authority_id: id,
    crl_number,
    this_update_time,
    next_update_time,
    revoked_count,
    signature_algorithm,
  }
  const framed = [String.raw`-----BEGIN X509 CRL-----\n`, ...pem, String.raw`-----END X509 CRL-----\n`]
  const parts = [JSON.stringify(members).slice(0, -1), ',"pem_crl":"', ...framed, '","der_crl":"', ...base64, '"}']
  const text = parts.join('')
  // The server copies the text into bytes next, which takes as long as the join.
  await nextTurn()
  return new JsonText(text)
}
