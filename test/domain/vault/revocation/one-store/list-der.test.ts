import { AsnConvert } from '@peculiar/asn1-schema'
import { CertificateList, CRLNumber, CRLReason } from '@peculiar/asn1-x509'
import { spawnSync } from 'node:child_process'
import { createPublicKey, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { fitsSignature, signatureOf } from '../../../../../domain/vault/keys/signatures.ts'
import { schemes } from '../../../../../domain/vault/keys/schemes.ts'
import { elements, firstElements, readElement } from '../../../../../domain/vault/revocation/der-reader.ts'
import { decimalInteger, integer, time } from '../../../../../domain/vault/revocation/der.ts'
import { signedList, subjectOf, unsignedList } from '../../../../../domain/vault/revocation/list-der.ts'
import { listEntry, type RevokedSerial } from '../../../../../domain/vault/revocation/list-entries.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { openssl } from '../../keys/one-store/openssl.ts'
import { pairOf } from '../../keys/one-store/generated.ts'
import { selfSigned } from '../issuer.ts'

const now = Date.parse('2026-01-15T09:45:00.000Z')
const reasons = [
  ['UNSPECIFIED', undefined],
  ['KEY_COMPROMISE', 'Key Compromise'],
  ['CA_COMPROMISE', 'CA Compromise'],
  ['AFFILIATION_CHANGED', 'Affiliation Changed'],
  ['SUPERSEDED', 'Superseded'],
  ['CESSATION_OF_OPERATION', 'Cessation Of Operation'],
  ['PRIVILEGE_WITHDRAWN', 'Privilege Withdrawn'],
] as const

const revoked: readonly RevokedSerial[] = reasons.map(([reason], index) => ({
  serial_number: `5a3c9e0f41b7d286e1904c7b2fd83a6${index}`,
  reason: `VAULT_REVOCATION_REASON_${reason}`,
  revoke_time: '2026-01-15T09:44:59.999Z',
}))

/** Makes the list of an algorithm, with the certificate of its issuer. */
async function madeList(algorithm: keyof typeof schemes, entries: readonly RevokedSerial[], number = '1768470300000') {
  const scheme = schemes[algorithm]
  if (scheme.kind === 'cipher' || scheme.kind === 'mac' || scheme.kind === 'rsa-oaep')
    throw new TypeError(`${algorithm} signs nothing`)
  const { secret } = await pairOf(scheme)
  const { keyId, pem } = selfSigned(secret, scheme, now)
  const issuer = subjectOf(new X509Certificate(pem).raw)
  const head = { issuer, keyId, number, thisUpdate: now, nextUpdate: now + 7 * 86_400_000, scheme }
  const unsigned = unsignedList(head, [Buffer.concat(entries.map(listEntry))])
  const der = signedList(unsigned, scheme, signatureOf(scheme, secret, { data: unsigned }, 'der'))
  return { der, keyId, pem, publicKey: createPublicKey(secret), scheme }
}

const hexOf = (bytes: ArrayBuffer = new ArrayBuffer(0)): string => Buffer.from(bytes).toString('hex')

const algorithms = [
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384',
  'VAULT_CRYPTO_KEY_ALGORITHM_ED25519',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_4096_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_3072_SHA256',
] as const

describe.each(algorithms)('a revocation list signed with %s', algorithm => {
  let made: Awaited<ReturnType<typeof madeList>>
  beforeAll(async () => {
    made = await madeList(algorithm, revoked)
  })

  test('is read by another parser, and its signature fits', () => {
    const { der, keyId, publicKey, scheme } = made
    const { signature, tbsCertList } = AsnConvert.parse(der, CertificateList)
    expect(tbsCertList.version).toBe(1)
    expect(tbsCertList.thisUpdate.getTime()).toEqual(new Date(now))
    expect(tbsCertList.nextUpdate?.getTime()).toEqual(new Date(now + 7 * 86_400_000))
    expect(
      tbsCertList.revokedCertificates?.map(({ userCertificate }) => Buffer.from(userCertificate).toString('hex')),
    ).toEqual(revoked.map(({ serial_number }) => serial_number))
    const codes = tbsCertList.revokedCertificates?.map(({ crlEntryExtensions: [extension] = [] }) =>
      extension ? AsnConvert.parse(extension.extnValue.buffer, CRLReason).reason : undefined,
    )
    expect(codes).toEqual([undefined, 1, 2, 3, 4, 5, 9])
    const [authorityKey, number] = tbsCertList.crlExtensions ?? []
    expect(hexOf(authorityKey?.extnValue.buffer)).toBe(`30168014${keyId}`)
    expect(number?.extnID).toBe('2.5.29.20')
    expect(AsnConvert.parse(number?.extnValue.buffer ?? new ArrayBuffer(0), CRLNumber).value).toBe('1768470300000')
    const [data] = firstElements(readElement(der).content, 1)
    const signed = { encoding: 'der', signature: Buffer.from(signature) } as const
    expect(fitsSignature(scheme, publicKey, { data: data?.whole ?? Buffer.alloc(0) }, signed)).toBe(true)
  })

  test.skipIf(!openssl)('is accepted and printed by openssl', ({ onTestFinished }) => {
    const { der, pem } = made
    const folder = testFolder(onTestFinished)
    const [list, issuer] = [join(folder, 'list.der'), join(folder, 'issuer.pem')]
    writeFileSync(list, der)
    writeFileSync(issuer, pem)
    const args = ['crl', '-inform', 'DER', '-in', list, '-CAfile', issuer, '-noout', '-text']
    const { stderr, stdout: printed } = spawnSync('openssl', args, { encoding: 'utf8' })
    expect(stderr).toBe('verify OK\n')
    expect(printed).toContain('Version 2 (0x1)')
    for (const { serial_number } of revoked) expect(printed).toContain(serial_number.toUpperCase())
    for (const [, name] of reasons) if (name !== undefined) expect(printed).toContain(name)
    expect(printed).not.toContain('Unspecified')
  })
})

it('leaves the entries out if there are none', async () => {
  const { der } = await madeList('VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256', [])
  expect(AsnConvert.parse(der, CertificateList).tbsCertList.revokedCertificates).toBeUndefined()
})

describe('values in DER', () => {
  it.each([
    ['2049-12-31T23:59:59.999Z', '170d3439313233313233353935395a'],
    ['2050-01-01T00:00:00.000Z', '180f32303530303130313030303030305a'],
  ])('have a time of %s in the form of its century', (text, hex) => {
    expect(time(Date.parse(text)).toString('hex')).toBe(hex)
  })

  it.each([
    ['00', '020100'],
    ['0000', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['0080', '02020080'],
    ['000102', '02020102'],
  ])('have the integer %s without superfluous bytes', (bytes, hex) => {
    expect(integer(Buffer.from(bytes, 'hex')).toString('hex')).toBe(hex)
  })

  it('have decimal integers of any length', () => {
    expect(decimalInteger('18446744073709551616').toString('hex')).toBe('0209010000000000000000')
  })

  it.each(['', '30', '3080', '308500000000', '3005020101', '30820001', '1f0100', '30847fffffff00'])(
    'are refused if they are malformed: %s',
    hex => {
      expect(() => readElement(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ name: 'DerFault' }))
    },
  )

  it('are read one after the other', () => {
    expect([...elements(Buffer.from('0201010500', 'hex'))].map(({ type }) => type)).toEqual([2, 5])
  })
})
