import type { VaultArea } from '../../../output/vault/area.ts'
import { capsuleNotFound } from '../../../output/vault/errors.ts'
import type { CapsuleHandlers } from '../../../output/vault/handlers.ts'
import type { Capsule, ParsedRevokeCapsuleRequest } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { requireFound, requirePlace } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { endCapsule } from './capsule-end.ts'
import { capsuleKind } from './capsule-kind.ts'
import { byStateAt } from '../../resources/state-by-clock.ts'
import { capsuleStates, stateAt } from './capsule-state.ts'
import { capsuleCollection, type StoredCapsule } from './capsules-store.ts'
import { createCapsule } from './create-capsule.ts'
import { redeemCapsule, requireActive } from './redeem-capsule.ts'
import { RedeemThrottle } from './redeem-throttle.ts'

/** Returns the calls of capsules. */
export function capsules(environment: VaultEnvironment): CapsuleHandlers {
  const { store, taxonomy } = environment
  const resources = new Resources<StoredCapsule, VaultArea>(capsuleKind, environment)
  const throttle = new RedeemThrottle()
  return {
    async getCapsuleDelivery({ id }, { now }) {
      const stored = await store.get(capsuleCollection, id)
      const resource = { type: capsuleKind.type, name: id }
      if (!stored) throw capsuleNotFound(`no capsule ${id.slice(0, 80)} exists`, { resource })
      const { content_type, expire_time, passphrase_required, payload_size_bytes, recipient_principal_id } =
        stored.value
      return {
        id,
        state: stateAt(stored.value, now),
        expire_time,
        passphrase_required,
        recipient_restricted: recipient_principal_id !== '',
        payload_size_bytes,
        content_type,
      }
    },
    redeemCapsule: (request, context) => redeemCapsule(environment, throttle, request, context),
    async listCapsules(request, { query }) {
      const { engine, workspace } = request
      const page = await store.page(capsuleCollection, byStateAt(query, capsuleStates), {
        workspace_id: workspace,
        engine,
      })
      if (page.items.length === 0) await requirePlace(store, taxonomy, capsuleKind, { workspace, engine })
      return { ...page, items: page.items.map(({ value }) => shownAt(value, query.now)) }
    },
    async getCapsule(request, { now }) {
      return shownAt((await resources.read(request)).value, now)
    },
    createCapsule: (request, context) => createCapsule(environment, resources, request, context),
    revokeCapsule: (request, context) => revokeCapsule(environment, request, context),
  }
}

/** Returns a capsule as callers see it, with its state at a time. */
function shownAt(capsule: StoredCapsule, now: number): Capsule {
  const { salt: _salt, token_sha256: _token, ...shown } = capsule
  return { ...shown, state: stateAt(capsule, now) }
}

/** Revokes a capsule in any state of its workspace, because a revocation only takes access away (vault.md 4.7). */
async function revokeCapsule(
  { operations, scrub, taxonomy }: VaultEnvironment,
  request: ParsedRevokeCapsuleRequest,
  context: CallContext,
) {
  const { body, engine, id, workspace } = request
  const scope = workspaceScope(workspace)
  const answer = await operations.mutate(context, request, async tx => {
    await taxonomy.share(tx, scope)
    const found = await tx.lock(capsuleCollection, id)
    const stored = await requireFound(tx, taxonomy, capsuleKind, { workspace, engine, id }, found)
    checkEtag(body.etag, stored.value.etag)
    requireActive(stored.value, context.now)
    const revoked = { revoke_time: formatMillis(context.now), revoke_reason: body.reason }
    await endCapsule(tx, stored, 'REVOKED', context.now, revoked)
    return { type: 'REVOKE', resourceType: 'vault.capsules', resourceId: id, scope }
  })
  await scrub()
  return answer
}
