import type { Secret } from '../../../output/vault/types.ts'
import type { Transaction } from '../../ports/store.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import type { Standard } from '../../resources/mutation-rules.ts'
import type { VaultEnvironment } from '../environment.ts'
import { writeVersion } from './add-version.ts'
import { freeName } from './free-name.ts'
import { secretKind } from './secret-kind.ts'
import { secretCollection } from './secrets-store.ts'

/** A new secret that the platform itself fills: its standard members, its name, and the payload of its first version. */
export interface FilledSecret extends Standard {
  readonly name: string
  readonly payload: Buffer
}

/**
 * Creates a secret with its first version in the transaction of another creation, for keys that the platform makes. The
 * transaction has shared the organisation. Throws SECRET_ALREADY_EXISTS, QUOTA_EXCEEDED and VAULT_SEALED.
 */
export async function createFilledSecret(
  tx: Transaction,
  environment: VaultEnvironment,
  { name, payload, ...standard }: FilledSecret,
  now: number,
): Promise<void> {
  const secret: Secret = {
    ...standard,
    name,
    display_name: '',
    description: '',
    labels: {},
    version_destroy_delay: '0s',
    version_aliases: {},
    crypto_key_id: '',
    latest_version: '',
    enabled_version_count: 0,
  }
  await freeName(tx, environment, secret, now)
  const stored = await tx.insert(secretCollection, secret)
  await takeDifference(tx, environment.taxonomy, secret.workspace_id, [], secretKind.takes?.(secret) ?? [])
  await writeVersion(tx, environment, stored, { payload, isGiven: false }, now)
}
