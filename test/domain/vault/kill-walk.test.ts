import { constants, publicEncrypt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { VaultClient } from '../../../output/vault/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { walkTimeout } from '../../areas/kill/tried-points.ts'
import { testToken } from '../../server/access/test-access.ts'
import { tellCertificates } from './certificate-story.ts'
import { walkedAreas } from './walked-areas.ts'

const program = fileURLToPath(new URL('./walked-vault.ts', import.meta.url))
const algorithm = 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_OAEP_2048_SHA256'
const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_DECRYPT'

/**
 * Generates and rotates an RSA key, uses both versions, deletes a key while its material is generated, creates an
 * authority with an RSA key, issues and revokes certificates, and takes a snapshot.
 */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call })
  const [taxonomy, vault] = [new TaxonomyClient(transport), new VaultClient(transport)]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const at = { workspace, engine: 'native' }
  const made = await vault.waitOperation(
    await vault.createCryptoKey({ ...at, body: { name: 'rsa', purpose, algorithm } }),
  )
  expect(made).toMatchObject({ status: 'VAULT_OPERATION_STATUS_DONE', errors: [] })
  const id = made.resource_id
  await vault.waitOperation(await vault.rotateCryptoKey({ ...at, id, body: {} }))
  expect(await vault.getCryptoKey({ ...at, id })).toMatchObject({ primary_version: '2', version_count: 2 })
  for (const key_version of ['1', '2']) {
    const { public_key_pem } = await vault.getCryptoKeyVersion({ ...at, cryptokey: id, id: key_version })
    const key = { key: public_key_pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const ciphertext = publicEncrypt(key, Buffer.from('text')).toString('base64')
    const { plaintext } = await vault.decrypt({ ...at, id, body: { ciphertext, key_version } })
    expect(Buffer.from(plaintext, 'base64').toString()).toBe('text')
  }
  // The windows of the versions end within a second, and the last destruction removes the key.
  const window = { destroy_scheduled_duration: '1s' }
  const short = await vault.createCryptoKey({
    ...at,
    body: { name: 'short', purpose: 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT', ...window },
  })
  await vault.rotateCryptoKey({ ...at, id: short.resource_id, body: {} })
  const pending = await vault.createCryptoKey({ ...at, body: { name: 'pending', purpose, algorithm, ...window } })
  for (const gone of [short.resource_id, pending.resource_id]) {
    await vault.deleteCryptoKey({ ...at, id: gone })
    const reason = () =>
      vault.getCryptoKey({ ...at, id: gone }).then(
        ({ state }) => state,
        error => String(error.reason),
      )
    await expect.poll(reason, { timeout: 60_000 }).toBe('CRYPTO_KEY_NOT_FOUND')
  }
  const root = {
    name: 'root',
    type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
    subject: { common_name: 'Root' },
    key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256',
    lifetime: '86400s',
  } as const
  const authority = await vault.waitOperation(await vault.createCertificateAuthority({ ...at, body: root }))
  expect(authority).toMatchObject({ status: 'VAULT_OPERATION_STATUS_DONE', errors: [] })
  const enabled = await vault.getCertificateAuthority({ ...at, id: authority.resource_id })
  expect(enabled).toMatchObject({ state: 'VAULT_CERTIFICATE_AUTHORITY_STATE_ENABLED' })
  await tellCertificates(vault, at)
  const snapshot = await vault.waitOperation(await vault.takeSnapshot({ body: {} }))
  expect(snapshot).toMatchObject({ status: 'VAULT_OPERATION_STATUS_DONE', errors: [] })
}

it(
  'a server that is killed at any step of the work of the vault is made up for',
  { timeout: walkTimeout },
  async () => {
    const { missed, points, restarts, tried } = await killWalk({ program, areas: walkedAreas, walked: 'vault', tell })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
  },
)
