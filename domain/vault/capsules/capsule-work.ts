import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { setAgenda, type AgendaHandler, type AgendaHandlers } from '../work/agenda.ts'
import { endCapsule, removeCapsule } from './capsule-end.ts'
import { isExhausted, stateAt } from './capsule-state.ts'
import { capsuleCollection, capsuleState } from './capsules-store.ts'

/** The due work of capsules. */
export const capsuleWork = (environment: VaultEnvironment): AgendaHandlers => ({
  'capsules.expire': expire(environment),
  'capsules.remove': remove(environment),
})

/**
 * Records the expiry of a capsule and erases its payload, in any state of its workspace. A capsule without an attempt
 * left is locked: the server that took the last attempt was killed before it knew the outcome.
 */
const expire =
  ({ taxonomy }: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    await taxonomy.share(tx, workspaceScope(workspace_id))
    const capsule = await tx.lock(capsuleCollection, resource_id)
    const isActive = capsule?.value.state === capsuleState('ACTIVE')
    if (capsule && isActive && stateAt(capsule.value, now) === capsuleState('EXPIRED'))
      await endCapsule(tx, capsule, 'EXPIRED', now)
    else if (capsule && isActive && isExhausted(capsule.value)) await endCapsule(tx, capsule, 'LOCKED', now)
    else {
      const time = isActive ? capsule?.value.expire_time : undefined
      await setAgenda(tx, 'capsules.expire', { id: resource_id, workspace_id }, time)
    }
    return true
  }

/** Removes a capsule 90 days after its end. */
const remove =
  ({ taxonomy }: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }) => {
    await taxonomy.share(tx, workspaceScope(workspace_id))
    const capsule = await tx.lock(capsuleCollection, resource_id)
    if (capsule && capsule.value.state !== capsuleState('ACTIVE')) await removeCapsule(tx, capsule)
    else await setAgenda(tx, 'capsules.remove', { id: resource_id, workspace_id }, undefined)
    return true
  }
