import { constants, createHash, createPrivateKey, createPublicKey, publicDecrypt, type KeyObject } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { decryptOaep } from '../../../../../../domain/vault/keys/oaep.ts'
import { encodePss } from '../../../../../../domain/vault/keys/rsa-digests.ts'
import type { Hash, RsaSignScheme } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../../domain/vault/keys/signatures.ts'
import { blocksOf, bytesIn, folder, namedNumbers, readVectors, type Block } from './vector-files.ts'
import { Verdicts } from './verdicts.ts'

const hashes: Readonly<Record<string, Hash>> = { SHA256: 'sha256', SHA384: 'sha384', SHA512: 'sha512' }
const sizes: readonly RsaSignScheme['bits'][] = [2048, 3072, 4096]

interface Vector {
  readonly scheme: RsaSignScheme
  readonly key: KeyObject
  readonly data: Buffer
  readonly signature: Buffer
  readonly salt: Buffer
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url')

/** Returns bytes without their leading zeros. */
const bare = (bytes: Buffer): Buffer => bytes.subarray(bytes.findIndex(byte => byte !== 0))

/** Returns the vectors of a file of NIST whose key and hash our schemes have. The modulus stands before its vectors. */
function* vectorsIn(path: string, kind: RsaSignScheme['kind']): Generator<readonly [Block, Vector]> {
  let modulus: Buffer = Buffer.alloc(0)
  let exponent: Buffer = Buffer.alloc(0)
  for (const block of blocksOf(readVectors(`asymmetric/RSA/${path}`))) {
    if ('n' in block.members) modulus = bare(bytesIn(block, 'n'))
    if ('e' in block.members) exponent = bare(bytesIn(block, 'e'))
    const bits = sizes.find(size => size === 8 * modulus.length)
    const hash = hashes[block.members['SHAAlg'] ?? '']
    if (bits === undefined || hash === undefined) continue
    const key = createPublicKey({ key: { kty: 'RSA', n: base64url(modulus), e: base64url(exponent) }, format: 'jwk' })
    const [data, signature] = [bytesIn(block, 'Msg'), bytesIn(block, 'S')]
    const salt = 'SaltVal' in block.members ? bytesIn(block, 'SaltVal') : Buffer.alloc(0)
    yield [block, { scheme: { kind, bits, hash }, key, data, signature, salt }]
  }
}

/** Whether our code accepts a signature, as data and as a digest. Throws if these differ. */
function accepts({ data, key, scheme, signature }: Vector): boolean {
  const digest = createHash(scheme.hash).update(data).digest()
  const given = { encoding: 'der', signature } as const
  const verdicts = [{ data }, { digest }].map(signed => fitsSignature(scheme, key, signed, given))
  if (verdicts[0] !== verdicts[1]) throw new Error(`the verdicts differ: ${verdicts.join()}`)
  return verdicts[0] === true
}

/** Whether our encoding with the salt of a vector is the content of its signature. */
function encodes({ data, key, salt, scheme, signature }: Vector): boolean {
  try {
    const content = publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature)
    return encodePss(scheme, createHash(scheme.hash).update(data).digest(), salt).equals(content)
  } catch {
    return false
  }
}

const isGood = ({ members }: Block): boolean => !members['Result']?.startsWith('F')

describe.skipIf(folder === undefined)('the vectors of RSA', () => {
  test.each([
    ['FIPS_186-2/SigVer15_186-3.rsp', 27, 135],
    ['FIPS_186-2/SigGen15_186-2.txt', 90, 0],
    ['FIPS_186-2/SigGen15_186-3.rsp', 90, 0],
    ['SigVer15EMTest.txt', 0, 54],
  ])('with PKCS #1 v1.5 in %s are judged right', (file, accepted, refused) => {
    const verdicts = new Verdicts(`RSA PKCS #1 v1.5, ${file}`)
    for (const [block, vector] of vectorsIn(file, 'rsa-pkcs1'))
      verdicts.add(JSON.stringify(block), isGood(block), accepts(vector))
    verdicts.end(accepted, refused)
  })

  test.each([
    ['FIPS_186-2/SigVerPSS_186-3.rsp', 27, 135],
    ['FIPS_186-2/SigGenPSS_186-2.txt', 90, 0],
    ['FIPS_186-2/SigGenPSS_186-3.rsp', 90, 0],
  ])('with PSS in %s are encoded right, and refused because their salts do not have 32 bytes', (file, good, bad) => {
    const [encoded, verified] = [new Verdicts(`RSA PSS, encoded, ${file}`), new Verdicts(`RSA PSS, verified, ${file}`)]
    for (const [block, vector] of vectorsIn(file, 'rsa-pss')) {
      encoded.add(JSON.stringify(block), isGood(block), encodes(vector))
      verified.add(JSON.stringify(block), false, accepts(vector))
    }
    encoded.end(good, bad)
    verified.end(0, good + bad)
  })

  test('with OAEP of SHA-256 are opened, and those of other hashes, labels and paddings are refused', () => {
    const own = new Verdicts('RSA OAEP of SHA-256')
    const others = new Verdicts('RSA OAEP of other hashes, and PKCS #1 v1.5')
    for (const { ciphertext, key, message } of ciphertextsIn('oaep-custom/oaep-sha256-sha256.txt'))
      own.add(ciphertext.toString('hex'), true, decryptOaep(key, ciphertext)?.equals(message) === true)
    const files = readdirSync(join(folder ?? '', 'asymmetric/RSA/oaep-custom')).map(name => `oaep-custom/${name}`)
    for (const file of [...files, 'pkcs-1v2-1d2-vec/oaep-vect.txt', 'pkcs1v15crypt-vectors.txt'])
      if (!file.endsWith('sha256-sha256.txt'))
        for (const { ciphertext, key } of ciphertextsIn(file))
          others.add(`${file} ${ciphertext.toString('hex')}`, false, decryptOaep(key, ciphertext) !== undefined)
    const [labelled] = blocksOf(readVectors('asymmetric/RSA/oaep-label.txt'))
    if (!labelled) throw new Error('the file of labels is empty')
    const key = createPrivateKey({ key: bytesIn(labelled, 'KEY'), format: 'der', type: 'pkcs8' })
    others.add('a label', false, decryptOaep(key, bytesIn(labelled, 'Input')) !== undefined)
    own.end(60, 0)
    others.end(0, 1741)
  })
})

/** The names of the numbers of a private key, and of its members as a JWK. */
const parts = {
  Modulus: 'n',
  'Public exponent': 'e',
  Exponent: 'd',
  'Prime 1': 'p',
  'Prime 2': 'q',
  'Prime exponent 1': 'dp',
  'Prime exponent 2': 'dq',
  Coefficient: 'qi',
} as const

interface Ciphertext {
  readonly key: KeyObject
  readonly message: Buffer
  readonly ciphertext: Buffer
}

function* ciphertextsIn(path: string): Generator<Ciphertext> {
  const jwk: Record<string, string> = {}
  let message: Buffer = Buffer.alloc(0)
  for (const { bytes, name } of namedNumbers(readVectors(`asymmetric/RSA/${path}`))) {
    const part = Object.entries(parts).find(([long]) => long.toLowerCase() === name.toLowerCase())
    if (part) jwk[part[1]] = base64url(bare(bytes))
    if (/^message/i.test(name)) message = bytes
    if (!/^(?:encryption|ciphertext)/i.test(name)) continue
    yield { key: createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' }), message, ciphertext: bytes }
  }
}
