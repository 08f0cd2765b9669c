import { setTimeout as nextPoll } from 'node:timers/promises'
import type { CryptoKeyInput, VaultOperation } from '../../../../output/vault/types.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { addTenant, type Member } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'

/** The time in which an operation must end, in milliseconds. */
const patienceMs = 60_000

/** The engine of all keys. */
export const engine = 'native'

/** The part of an algorithm's name behind the prefix of the enum. */
export type Short =
  NonNullable<CryptoKeyInput['algorithm']> extends `VAULT_CRYPTO_KEY_ALGORITHM_${infer Name}` ? Name : never

/** A platform with a workspace, and the calls of crypto keys in the workspace. */
export interface TenantKeys {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly workspace: string
  /** The members of a path to the workspace. */
  readonly at: { readonly workspace: string; readonly engine: string }
  /** Creates a key of an algorithm, waits until its first version is ready, and returns its id. */
  create(name: string, algorithm: Short, more?: Partial<CryptoKeyInput>): Promise<string>
  /** Waits until an operation has ended, and returns it. */
  ended(operation: VaultOperation): Promise<VaultOperation>
}

/** Returns the base64 of a text. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Starts a platform with a workspace. */
export async function tenantKeys(options: TestPlatformOptions = {}): Promise<TenantKeys> {
  const platform = await testPlatform(options)
  const admin = await platform.admin()
  const { workspace } = await addTenant(admin.api, 'acme')
  return { platform, admin, workspace, ...keyCalls(admin, workspace) }
}

/** Returns the calls of crypto keys in a workspace, by one caller. */
export function keyCalls({ api }: Pick<Member, 'api'>, workspace: string) {
  const at = { workspace, engine }
  const ended = async ({ id }: VaultOperation): Promise<VaultOperation> => {
    const until = performance.now() + patienceMs
    for (;;) {
      const operation = await api.vault.getOperation({ id })
      if (isEnded(operation)) return operation
      if (performance.now() > until) throw new Error(`operation ${id} is still ${operation.status}`)
      await nextPoll(10)
    }
  }
  return {
    at,
    ended,
    async create(name: string, algorithm: Short, more: Partial<CryptoKeyInput> = {}) {
      const body = {
        name,
        purpose: purposeOf(algorithm),
        algorithm: `VAULT_CRYPTO_KEY_ALGORITHM_${algorithm}` as const,
        ...more,
      }
      return (await ended(await api.vault.createCryptoKey({ ...at, body }))).resource_id
    },
  }
}

function purposeOf(algorithm: Short): CryptoKeyInput['purpose'] {
  if (/^(?:AES|CHACHA20)_/.test(algorithm)) return 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
  if (algorithm.startsWith('RSA_OAEP')) return 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_DECRYPT'
  return algorithm.startsWith('HMAC') ? 'VAULT_CRYPTO_KEY_PURPOSE_MAC' : 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_SIGN'
}
