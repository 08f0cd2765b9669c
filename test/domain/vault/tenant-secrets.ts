import type { SecretInput, VaultOperation } from '../../../output/vault/types.ts'
import { addTenant, type Member } from '../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../areas/test-platform.ts'

/** The engine of all secrets. */
export const engine = 'native'

/** A platform with a workspace, and the calls of secrets in the workspace. */
export interface TenantSecrets {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly organisation: string
  readonly workspace: string
  /** The members of a path to the workspace. */
  readonly at: { readonly workspace: string; readonly engine: string }
  /** Creates a secret and returns its id. */
  create(name: string, more?: Partial<SecretInput>): Promise<string>
  /** Adds a version with a text, and returns the operation. */
  add(secret: string, text: string): Promise<VaultOperation>
  /** Returns the text of a version. */
  read(secret: string, id: string): Promise<string>
}

/** Returns the base64 of a text. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Starts a platform with a workspace. */
export async function tenantSecrets(options: TestPlatformOptions = {}): Promise<TenantSecrets> {
  const platform = await testPlatform(options)
  const admin = await platform.admin()
  const { organisation, workspace } = await addTenant(admin.api, 'acme')
  return { platform, admin, organisation, workspace, ...secretCalls(admin, workspace) }
}

/** Returns the calls of secrets in a workspace, by one caller. */
export function secretCalls({ api }: Pick<Member, 'api'>, workspace: string) {
  const at = { workspace, engine }
  return {
    at,
    create: async (name: string, more: Partial<SecretInput> = {}) =>
      (await api.vault.createSecret({ ...at, body: { name, ...more } })).resource_id,
    add: (secret: string, text: string) =>
      api.vault.addSecretVersion({ ...at, secret, body: { payload: { data: base64(text) } } }),
    async read(secret: string, id: string) {
      const { payload } = await api.vault.getSecretVersion({ ...at, secret, id })
      return Buffer.from(payload?.data ?? '', 'base64').toString()
    },
  }
}
