import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, test } from 'vitest'
import { fitsMac, macOf } from '../../../../../../domain/vault/keys/macs.ts'
import { privateKeyOf, publicKeyOf } from '../../../../../../domain/vault/keys/material.ts'
import { schemes } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature, signatureOf } from '../../../../../../domain/vault/keys/signatures.ts'
import { blocksOf, bytesIn, folder, readVectors } from './vector-files.ts'
import { Verdicts } from './verdicts.ts'

const ed25519 = schemes.VAULT_CRYPTO_KEY_ALGORITHM_ED25519
const bytesOf = (hex = ''): Buffer => Buffer.from(hex, 'hex')
const base64url = (hex: string): string => bytesOf(hex).toString('base64url')

describe.skipIf(folder === undefined)('the vectors', () => {
  test('of Ed25519 are made again and accepted, and refused after a change', () => {
    const verdicts = new Verdicts('Ed25519')
    for (const line of readVectors('asymmetric/Ed25519/sign.input').trim().split('\n')) {
      const [seed = '', point = '', text, signed = ''] = line.split(':')
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(point) }
      const d = base64url(seed.slice(0, 64))
      const pkcs8 = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' })
      const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' }).toString()
      const data = bytesOf(text)
      const signature = bytesOf(signed).subarray(0, 64)
      const made = signatureOf(ed25519, privateKeyOf(pkcs8), { data }, 'der')
      verdicts.add(`${point}, made`, true, made.equals(signature))
      const fits = (bytes: Buffer, of = data): boolean =>
        fitsSignature(ed25519, publicKeyOf(pem), { data: of }, { encoding: 'der', signature: bytes })
      verdicts.add(point, true, fits(signature))
      verdicts.add(`${point}, longer data`, false, fits(signature, Buffer.concat([data, Buffer.of(0)])))
      const changed = Buffer.from(signature)
      changed[40] = (changed[40] ?? 0) ^ 1
      verdicts.add(`${point}, changed`, false, fits(changed))
    }
    verdicts.end(2048, 2048)
  })

  test('of HMAC (RFC 4231) are made again and accepted, and refused if they are cut', () => {
    const verdicts = new Verdicts('HMAC')
    for (const name of ['HMAC_SHA256', 'HMAC_SHA384', 'HMAC_SHA512'] as const) {
      const scheme = schemes[`VAULT_CRYPTO_KEY_ALGORITHM_${name}`]
      const { hash } = scheme
      for (const block of blocksOf(readVectors(`HMAC/rfc-4231-${hash}.txt`))) {
        const [key, data, mac] = [bytesIn(block, 'Key'), bytesIn(block, 'Msg'), bytesIn(block, 'MD')]
        verdicts.add(`${hash}, made`, true, macOf(scheme, key, data).equals(mac))
        verdicts.add(hash, true, fitsMac(scheme, key, data, mac))
        verdicts.add(`${hash}, cut`, false, fitsMac(scheme, key, data, mac.subarray(0, 16)))
      }
    }
    verdicts.end(36, 18)
  })
})
