import { beforeAll, describe, expect, it } from 'vitest'
import { testPlatform } from '../../../areas/test-platform.ts'
import { base64, keyCalls, tenantKeys, type TenantKeys } from './tenant-keys.ts'
import { afterTests } from '../../../undo.ts'

/** The calls of one server. */
interface Server {
  readonly at: TenantKeys['at']
  readonly vault: TenantKeys['admin']['api']['vault']
  readonly taxonomy: TenantKeys['admin']['api']['taxonomy']
}

let tenant: TenantKeys
let one: Server
/** A second server on the same store. */
let other: Server

beforeAll(async () => {
  tenant = await tenantKeys({ later: afterTests })
  const { admin, platform, workspace } = tenant
  one = { at: tenant.at, vault: admin.api.vault, taxonomy: admin.api.taxonomy }
  const second = await (await testPlatform({ config: platform.config, later: afterTests })).admin()
  other = { at: keyCalls(second, workspace).at, vault: second.api.vault, taxonomy: second.api.taxonomy }
})

const plaintext = base64('a text')

/** Encrypts with the primary version of a key; returns the start of the text, which names the version. */
const encrypt = async ({ at, vault }: Server, id: string): Promise<string> =>
  (await vault.encrypt({ ...at, id, body: { plaintext } })).ciphertext.slice(0, 'vault:v1'.length)

/** Makes a key whose version 2 is primary, and uses both versions on both servers. */
async function usedKey(name: string) {
  const id = await tenant.create(name, 'AES_256_GCM')
  const { ciphertext } = await one.vault.encrypt({ ...one.at, id, body: { plaintext } })
  await one.vault.rotateCryptoKey({ ...one.at, id, body: {} })
  const decrypt = (by: Server) => by.vault.decrypt({ ...by.at, id, body: { ciphertext } })
  for (const by of [one, other]) {
    expect(await encrypt(by, id)).toBe('vault:v2')
    expect(await decrypt(by)).toMatchObject({ plaintext, used_primary: false })
  }
  const version = (number: string) => ({ ...one.at, cryptokey: id, id: number, body: {} })
  return { id, decrypt, version }
}

describe('a change of a key that is answered applies to the next call of every server', () => {
  it('for a rotation, and another primary version', async () => {
    const { id } = await usedKey('rotated')
    await one.vault.rotateCryptoKey({ ...one.at, id, body: {} })
    for (const by of [other, one]) expect(await encrypt(by, id)).toBe('vault:v3')
    const body = { primary_version: '1' }
    await other.vault.updateCryptoKey({ ...other.at, id, update_mask: 'primary_version', body })
    for (const by of [one, other]) expect(await encrypt(by, id)).toBe('vault:v1')
  })

  it('for a disabled and an enabled version', async () => {
    const { decrypt, id, version } = await usedKey('disabled')
    await one.vault.disableCryptoKeyVersion(version('1'))
    for (const by of [other, one]) await expect(decrypt(by)).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED' })
    for (const by of [other, one]) expect(await encrypt(by, id)).toBe('vault:v2')
    await one.vault.disableCryptoKeyVersion({ ...version('1'), body: { disabled: false } })
    for (const by of [other, one]) expect(await decrypt(by)).toMatchObject({ plaintext })
  })

  it('for a version that is going to be destroyed', async () => {
    const { decrypt, version } = await usedKey('destroyed')
    await one.vault.destroyCryptoKeyVersion(version('1'))
    for (const by of [other, one]) await expect(decrypt(by)).rejects.toMatchObject({ reason: 'KEY_VERSION_DESTROYED' })
  })

  it('for a key that is going to be deleted, and is kept', async () => {
    const { id, version } = await usedKey('deleted')
    await one.vault.deleteCryptoKey({ ...one.at, id })
    const refused = { reason: 'CRYPTO_KEY_DELETE_SCHEDULED' }
    for (const by of [other, one]) await expect(encrypt(by, id)).rejects.toMatchObject(refused)
    await other.vault.cancelDestroyCryptoKeyVersion(version('2'))
    await other.vault.disableCryptoKeyVersion({ ...version('2'), body: { disabled: false } })
    for (const by of [one, other]) expect(await encrypt(by, id)).toBe('vault:v2')
  })
})

describe('a change of the tree that is answered applies to the next use of a key on every server', () => {
  it.each(['workspace', 'group', 'organisation'] as const)('for the %s of the key', async level => {
    const { id } = await usedKey(`suspended-${level}`)
    const node = await nodeOf(level)
    await node.suspend(one)
    const refused = { reason: 'WORKSPACE_NOT_ACTIVE', metadata: { blocking_scope_id: node.id } }
    const random = ({ at, vault }: Server) => vault.generateRandomBytes({ ...at, body: { length_bytes: 8 } })
    for (const by of [other, one]) await expect(encrypt(by, id)).rejects.toMatchObject(refused)
    for (const by of [other, one]) await expect(random(by)).rejects.toMatchObject(refused)
    await node.resume(other)
    for (const by of [one, other]) expect(await encrypt(by, id)).toBe('vault:v2')
    for (const by of [one, other]) expect(await random(by)).toHaveProperty('data')
  })
})

/** Returns the id of the workspace, its group or its organisation, and the calls that suspend and resume the node. */
async function nodeOf(level: 'workspace' | 'group' | 'organisation') {
  const { organisations } = await one.taxonomy.listOrganisations({ filter: 'name = "acme"' })
  const organisation = organisations[0]?.id ?? ''
  const { parent_group_id: group } = await one.taxonomy.getWorkspace({ organisation, id: tenant.workspace })
  const body = {}
  if (level === 'organisation')
    return {
      id: organisation,
      suspend: ({ taxonomy }: Server) => taxonomy.suspendOrganisation({ id: organisation, body }),
      resume: ({ taxonomy }: Server) => taxonomy.resumeOrganisation({ id: organisation, body }),
    }
  if (level === 'group')
    return {
      id: group,
      suspend: ({ taxonomy }: Server) => taxonomy.suspendGroup({ organisation, id: group, body }),
      resume: ({ taxonomy }: Server) => taxonomy.resumeGroup({ organisation, id: group, body }),
    }
  return {
    id: tenant.workspace,
    suspend: ({ taxonomy }: Server) => taxonomy.suspendWorkspace({ organisation, id: tenant.workspace, body }),
    resume: ({ taxonomy }: Server) => taxonomy.resumeWorkspace({ organisation, id: tenant.workspace, body }),
  }
}
