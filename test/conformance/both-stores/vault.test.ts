import type { Existing } from '../../../generator/conform/subject.ts'
import type { JsonObject } from '../../../generator/conform/json.ts'
import { proveDocument } from '../documented.ts'
import type { Arranged, Read, Run } from '../existing.ts'

let count = 0

const nextName = (): string => `made-${(count += 1)}`

/** Makes a workspace; returns its id and the paths of its collections. */
async function newPlace(run: Run) {
  const name = nextName()
  const organisation = await run('/taxonomy/v1/organisations', { name })
  const workspace = await run(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name })
  const below = (version: string) => `/vault/${version}/workspaces/${workspace}/engines/native`
  return { at: { workspace, engine: 'native' }, v1: below('v1'), alpha: below('alpha') }
}

/** Makes a secret with a version in a new workspace; returns the path parameters of the version. */
const withVersion: Arranged[string] = async (run): Promise<Existing> => {
  const { at, v1 } = await newPlace(run)
  const secret = await run(`${v1}/secrets`, { name: nextName() })
  await run(`${v1}/secrets/${secret}:addVersion`, { payload: { data: 'czNjcjN0LXYx' } })
  return { path: { ...at, secret, id: '1' } }
}

const payload = { data: 'aGVsbG8=' }

/** The CRC-32C of the bytes of `payload`. */
const checksum = 2_591_144_780

/** Makes a capsule in a new workspace; `read` receives the token. */
const withCapsule =
  (bodyOf: (token: string) => JsonObject = () => ({})): Arranged[string] =>
  async (run, read): Promise<Existing> => {
    const { alpha, at } = await newPlace(run)
    const { credential, resource_id } = await read(`${alpha}/capsules`, { payload })
    return { path: { ...at, id: String(resource_id) }, body: bodyOf(String(Object(credential).token)) }
  }

type Purpose = 'ENCRYPT_DECRYPT' | 'ASYMMETRIC_SIGN' | 'MAC'

/** Makes a crypto key in a new workspace; `bodyOf` returns the members of the body, by calls on the path of the key. */
const withKey =
  (purpose: Purpose, bodyOf: (read: Read, key: string) => Promise<JsonObject> = async () => ({})): Arranged[string] =>
  async (run, read): Promise<Existing> => {
    const { alpha, at } = await newPlace(run)
    const body = { name: nextName(), purpose: `VAULT_CRYPTO_KEY_PURPOSE_${purpose}` }
    const id = await run(`${alpha}/cryptoKeys`, body)
    return { path: { ...at, id }, body: await bodyOf(read, `${alpha}/cryptoKeys/${id}`) }
  }

/** Makes a crypto key with two versions in a new workspace; returns the path parameters of the older version. */
const withKeyVersion =
  (verb?: string): Arranged[string] =>
  async (run): Promise<Existing> => {
    const { alpha, at } = await newPlace(run)
    const body = { name: nextName(), purpose: 'VAULT_CRYPTO_KEY_PURPOSE_MAC' }
    const cryptokey = await run(`${alpha}/cryptoKeys`, body)
    const key = `${alpha}/cryptoKeys/${cryptokey}`
    await run(`${key}:rotate`, {})
    if (verb !== undefined) await run(`${key}/versions/1:${verb}`, {})
    return { path: { ...at, cryptokey, id: '1' } }
  }

const ciphertextOf = async (read: Read, key: string): Promise<JsonObject> => {
  const additional = { additional_authenticated_data: payload.data, additional_authenticated_data_crc32c: checksum }
  const { ciphertext = '', ciphertext_crc32c = 0 } = await read(`${key}:encrypt`, {
    plaintext: payload.data,
    ...additional,
  })
  return { ciphertext, ciphertext_crc32c, ...additional }
}

const signatureOf = async (read: Read, key: string): Promise<JsonObject> => {
  const { signature = '', signature_crc32c = 0 } = await read(`${key}:sign`, payload)
  return { ...payload, data_crc32c: checksum, signature, signature_crc32c }
}

const authority = {
  type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
  subject: { common_name: 'Acme Root CA' },
  lifetime: '315360000s',
}

/** Makes an authority in a new workspace; returns the path parameter `parameter` of the authority. */
const withAuthority =
  (parameter: 'id' | 'certificate_authority'): Arranged[string] =>
  async (run): Promise<Existing> => {
    const { at, v1 } = await newPlace(run)
    return {
      path: { ...at, [parameter]: await run(`${v1}/certificateAuthorities`, { name: nextName(), ...authority }) },
    }
  }

/** Makes a row of a new authority: a template, or a certificate. */
const belowAuthority =
  (collection: 'certificates' | 'certificateTemplates', body: JsonObject = {}): Arranged[string] =>
  async (run): Promise<Existing> => {
    const { at, v1 } = await newPlace(run)
    const certificate_authority = await run(`${v1}/certificateAuthorities`, { name: nextName(), ...authority })
    const path = `${v1}/certificateAuthorities/${certificate_authority}/${collection}`
    return { path: { ...at, certificate_authority, id: await run(path, { name: nextName(), ...body }) } }
  }

const certificateBody: JsonObject = {
  private_key_secret_name: 'a-private-key',
  config: { subject: { common_name: 'web.acme.example' } },
}

/** The members of a secret that the example of the document does not fit: the versions of its aliases do not exist. */
const secret = () => ({ version_aliases: {} })

await proveDocument(
  'vault',
  { createSecret: secret, updateSecret: secret },
  {
    getSecretVersion: withVersion,
    disableSecretVersion: withVersion,
    destroySecretVersion: withVersion,
    getCapsule: withCapsule(),
    getCapsuleDelivery: withCapsule(),
    revokeCapsule: withCapsule(),
    redeemCapsule: withCapsule(token => ({ token })),
    createCertificateAuthority: async run => ({ path: (await newPlace(run)).at }),
    getCertificateAuthority: withAuthority('id'),
    revokeCertificateAuthority: withAuthority('id'),
    getCertificateRevocationList: withAuthority('id'),
    revokeCertificate: belowAuthority('certificates', certificateBody),
    listCertificates: withAuthority('certificate_authority'),
    createCertificate: withAuthority('certificate_authority'),
    listCertificateTemplates: withAuthority('certificate_authority'),
    createCertificateTemplate: withAuthority('certificate_authority'),
    getCertificate: belowAuthority('certificates', certificateBody),
    getCertificateTemplate: belowAuthority('certificateTemplates'),
    updateCertificateTemplate: belowAuthority('certificateTemplates'),
    deleteCertificateTemplate: belowAuthority('certificateTemplates'),
    getCryptoKey: withKey('MAC'),
    updateCryptoKey: withKey('ENCRYPT_DECRYPT'),
    deleteCryptoKey: withKey('MAC'),
    rotateCryptoKey: withKey('MAC'),
    encrypt: withKey('ENCRYPT_DECRYPT'),
    decrypt: withKey('ENCRYPT_DECRYPT', ciphertextOf),
    reEncrypt: withKey('ENCRYPT_DECRYPT', ciphertextOf),
    generateDataEncryptionKey: withKey('ENCRYPT_DECRYPT'),
    sign: withKey('ASYMMETRIC_SIGN'),
    verify: withKey('ASYMMETRIC_SIGN', signatureOf),
    hmac: withKey('MAC'),
    listCryptoKeyVersions: withKeyVersion(),
    getCryptoKeyVersion: withKeyVersion(),
    disableCryptoKeyVersion: withKeyVersion(),
    destroyCryptoKeyVersion: withKeyVersion(),
    cancelDestroyCryptoKeyVersion: withKeyVersion('destroy'),
  },
)
