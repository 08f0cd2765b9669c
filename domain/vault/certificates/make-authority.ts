import { operationCancelled } from '../../../output/shared/errors.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import { keyGenerationFailed } from '../../../output/vault/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import { again, done, failed, type OperationError, type Procedure } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import type { VaultEnvironment } from '../environment.ts'
import { generateMaterial, type Material } from '../keys/material.ts'
import { startList } from '../revoked/mark-revoked.ts'
import { setAgenda } from '../work/agenda.ts'
import { authorityCollection, authorityState, type StoredAuthority } from './authorities-store.ts'
import { authorityKind } from './authority-kind.ts'
import { keyOwner, signSchemeOf } from './authority-signer.ts'
import { certifyAuthority, freshKey, requireParent, type MadeMembers } from './certify-authority.ts'

/** The input of the creation of an authority after the answer. */
export interface Making {
  readonly authority: string
}

/** The time between two attempts while the vault is sealed, in milliseconds. */
const sealedMs = 5000

const kind = 'vault.makeAuthority'

/** Returns the order to generate the key of an authority and to sign its certificate. */
export const orderAuthority = ({ id }: StoredAuthority): NonNullable<Effect<VaultArea>['procedure']> => ({
  kind,
  input: { authority: id } satisfies Making,
})

/** Generates the RSA key of an authority after the answer, because that takes about a second, and signs its certificate. */
export function makeAuthority(environment: VaultEnvironment): Procedure<Making> {
  const { clock, keyring, taxonomy } = environment
  return {
    kind,
    steps: [
      {
        name: 'make',
        async run({ input, store, tx }) {
          const stored = await store.get(authorityCollection, input.authority)
          if (stored?.value.state !== authorityState('CREATING')) return done()
          if (keyring.isSealed) return again(sealedMs)
          const material = await generateMaterial(signSchemeOf(stored.value))
          try {
            const key = freshKey(stored.value, material)
            const members = await certifyAuthority(environment, stored.value, key, clock.now())
            await tx(locked => enable(environment, locked, stored.value, { material, members, now: clock.now() }))
            return done()
          } catch (error) {
            return failed(asOperationError(error))
          } finally {
            material.secret.fill(0)
          }
        },
      },
    ],
    async failed(tx, { input }, [{ reason }]) {
      const seen = await tx.get(authorityCollection, input.authority)
      if (!seen || reason === operationCancelled.reason) return
      await taxonomy.share(tx, workspaceScope(seen.value.workspace_id))
      const stored = await tx.lock(authorityCollection, input.authority)
      if (stored?.value.state !== authorityState('CREATING')) return
      const next = { ...stored.value, state: authorityState('FAILED'), update_time: formatMillis(clock.now()) }
      await tx.update(authorityCollection, stored.id, next, stored.version)
      await returnQuota(environment, tx, stored.value, next)
    },
  }
}

/** Returns what an authority gives back to the quota when it enters a state in which it does not count. */
export const returnQuota = (
  { taxonomy }: Pick<VaultEnvironment, 'taxonomy'>,
  tx: Transaction,
  before: StoredAuthority,
  after: StoredAuthority,
): Promise<void> =>
  takeDifference(
    tx,
    taxonomy,
    before.workspace_id,
    authorityKind.takes?.(before) ?? [],
    authorityKind.takes?.(after) ?? [],
  )

/** The parts of an authority whose key is generated. */
interface Ready {
  readonly material: Material
  readonly members: MadeMembers
  readonly now: number
}

async function enable(
  { materials, taxonomy }: VaultEnvironment,
  tx: Transaction,
  { id, workspace_id }: StoredAuthority,
  { material, members, now }: Ready,
): Promise<void> {
  await taxonomy.share(tx, workspaceScope(workspace_id))
  const seen = await tx.get(authorityCollection, id)
  if (seen) await requireParent(tx, seen.value, now)
  const stored = await tx.lock(authorityCollection, id)
  if (stored?.value.state !== authorityState('CREATING')) return
  const next = { ...stored.value, ...members, update_time: formatMillis(now) }
  await materials.add(tx, keyOwner(next), material.secret)
  await tx.update(authorityCollection, id, next, stored.version)
  await setAgenda(tx, 'certificateAuthorities.expire', next, next.not_after_time)
  if (next.state === authorityState('ENABLED')) await startList(tx, next, now)
}

/** Returns the error of the operation: the reason of the parent, else KEY_GENERATION_FAILED. Rethrows other errors. */
function asOperationError(error: unknown): OperationError {
  if (!(error instanceof ApiError) || error.rpc === 'UNAVAILABLE') throw error
  const { code, message, reason } = error
  if (code !== undefined && code >= 1000) return { code, reason, description: message }
  return { ...keyGenerationFailed, description: message }
}
