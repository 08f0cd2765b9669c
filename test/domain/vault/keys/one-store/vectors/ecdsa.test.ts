import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { describe, test } from 'vitest'
import { fitsEcDigest } from '../../../../../../domain/vault/keys/ec-digests.ts'
import { publicKeyOf } from '../../../../../../domain/vault/keys/material.ts'
import type { EcScheme, Hash } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../../domain/vault/keys/signatures.ts'
import { der, padded } from '../der.ts'
import { blocksOf, bytesIn, folder, readVectors, type Block } from './vector-files.ts'
import { Verdicts } from './verdicts.ts'

const curves: Readonly<Record<string, Pick<EcScheme, 'bytes' | 'curve'>>> = {
  'P-256': { curve: 'P-256', bytes: 32 },
  'P-384': { curve: 'P-384', bytes: 48 },
}

/** The hash functions of our schemes; a signature by another hash is checked as the signature of a digest. */
const ours: readonly Hash[] = ['sha256', 'sha384', 'sha512']

interface Vector {
  readonly curve: Pick<EcScheme, 'bytes' | 'curve'>
  readonly hash: string
  readonly key: KeyObject
  readonly data: Buffer
  readonly r: bigint
  readonly s: bigint
}

const big = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex') || '0'}`)

/** Whether our code accepts a vector: by each encoding, as data and as a digest. Throws if these four differ. */
function accepts({ curve, data, hash, key, r, s }: Vector): boolean {
  const digest = createHash(hash).update(data).digest()
  const p1363 = Buffer.concat([padded(r, curve.bytes), padded(s, curve.bytes)])
  const signatures = [
    { encoding: 'p1363', signature: p1363 },
    { encoding: 'der', signature: der(r, s) },
  ] as const
  const own = ours.find(name => name === hash)
  const verdicts = signatures.flatMap(signature => {
    const scheme = { kind: 'ec', ...curve, hash: own ?? 'sha256' } as const
    const asDigest = fitsEcDigest(scheme, key, digest, signature)
    return own === undefined ? [asDigest] : [asDigest, fitsSignature(scheme, key, { data }, signature)]
  })
  if (new Set(verdicts).size !== 1) throw new Error(`the verdicts differ: ${verdicts.join()}`)
  return verdicts[0] === true
}

/** Returns the public key of a point; undefined if the point is not on the curve. */
function keyAt({ bytes, curve: crv }: Pick<EcScheme, 'bytes' | 'curve'>, block: Block): KeyObject | undefined {
  const coordinate = (name: string): string => padded(big(bytesIn(block, name)), bytes).toString('base64url')
  try {
    const key = createPublicKey({ key: { kty: 'EC', crv, x: coordinate('Qx'), y: coordinate('Qy') }, format: 'jwk' })
    return publicKeyOf(key.export({ format: 'pem', type: 'spki' }).toString())
  } catch {
    return undefined
  }
}

/** Returns the vectors of a file of NIST whose heads are `P-256,SHA-256`, or `P-256` for SHA-1. */
function* vectorsIn(path: string): Generator<readonly [Block, Vector | undefined]> {
  for (const block of blocksOf(readVectors(path))) {
    const [name = '', hash = 'SHA-1'] = block.head.at(-1)?.split(',') ?? []
    const curve = curves[name]
    if (!curve || !('Msg' in block.members)) continue
    const key = keyAt(curve, block)
    const [data, r, s] = [bytesIn(block, 'Msg'), big(bytesIn(block, 'R')), big(bytesIn(block, 'S'))]
    yield [block, key && { curve, hash: hash.replace('-', '').toLowerCase(), key, data, r, s }]
  }
}

describe.skipIf(folder === undefined)('the vectors of ECDSA', () => {
  test.each([
    ['FIPS_186-2/SigVer.rsp', 6, 24],
    ['FIPS_186-3/SigVer.rsp', 30, 120],
    ['FIPS_186-3/SigGen.txt', 150, 0],
  ])('in %s are judged right', (file, accepted, refused) => {
    const verdicts = new Verdicts(`ECDSA, ${file}`)
    for (const [block, vector] of vectorsIn(`asymmetric/ECDSA/${file}`)) {
      const wanted = !block.members['Result']?.startsWith('F')
      verdicts.add(JSON.stringify(block), wanted, vector !== undefined && accepts(vector))
    }
    verdicts.end(accepted, refused)
  })

  test('of public keys that are no points of the curve are refused', () => {
    const verdicts = new Verdicts('public keys on curves')
    for (const block of blocksOf(readVectors('asymmetric/ECDSA/FIPS_186-3/PKV.rsp'))) {
      const curve = curves[block.head.at(-1) ?? '']
      if (!curve || !('Qx' in block.members)) continue
      if (big(bytesIn(block, 'Qx')) >> BigInt(8 * curve.bytes) !== 0n) continue
      verdicts.add(JSON.stringify(block), block.members['Result']?.startsWith('P') === true, !!keyAt(curve, block))
    }
    verdicts.end(8, 16)
  })

  test('of RFC 6979 are judged right', () => {
    const verdicts = new Verdicts('ECDSA, RFC 6979')
    const text = readVectors('asymmetric/ECDSA/RFC6979/evppkey_ecdsa_rfc6979.txt')
    const pems = new Map(
      [...text.matchAll(/PublicKey=(\S+)\n(-----BEGIN[\s\S]*?-----END PUBLIC KEY-----)/g)].map(([, name, pem]) => [
        name,
        pem,
      ]),
    )
    for (const block of blocksOf(text)) {
      const { DigestVerify: hash = '', Key: name = '', Result: result } = block.members
      const [pem, curve] = [pems.get(name), curves[name.slice(0, 5)]]
      if (hash === '' || pem === undefined || curve === undefined) continue
      const digest = createHash(hash.toLowerCase()).update(bytesIn(block, 'Input')).digest()
      const scheme = { kind: 'ec', ...curve, hash: 'sha256' } as const
      const given = { encoding: 'der', signature: bytesIn(block, 'Output') } as const
      const accepted = fitsEcDigest(scheme, publicKeyOf(pem), digest, given)
      verdicts.add(`${name} ${hash}`, result === undefined, accepted)
    }
    verdicts.end(20, 20)
  })
})
