import type { UpdateDeploymentLockRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { requireLater } from '../policies/check-rules.ts'
import { changeableRepository } from '../repositories/changeable-repository.ts'
import { isActive } from '../values/expiry.ts'
import type { LockResources } from './lock-resources.ts'
import { requirePresent } from './locked-artifact.ts'
import type { StoredLock } from '../locks/locks-store.ts'
import { prolong, protect, release } from './protect.ts'

/**
 * Changes a deployment lock. A later or removed `expire_time` revives an expired lock, if its artifact is present. Throws
 * LOCK_HELD, REPOSITORY_DELETING, EXPIRE_TIME_IN_PAST and ARTIFACT_NOT_FOUND.
 */
export const updateDeploymentLock = (
  resources: LockResources,
  request: UpdateDeploymentLockRequest,
  context: CallContext,
) =>
  resources.update({ ...request, body: withAnsweredTimes(request.body, 'expire_time') }, context, {
    async refer(tx, { changed, value }, before) {
      await changeableRepository(tx, value.repository_id)
      if (!changed.includes('expire_time')) return
      requireLater(value.expire_time, 'expire_time', context.now)
      if (!isActive(before, context.now)) await requirePresent(tx, value, 'expire_time')
    },
    count: (tx, { changed, value }) => settle(tx, changed, value),
  })

async function settle(tx: Transaction, changed: readonly string[], lock: StoredLock): Promise<void> {
  if (changed.includes('expire_time')) await prolong(tx, lock)
  if (!changed.includes('protect_tags')) return
  if (lock.protect_tags) await protect(tx, lock, true)
  else await release(tx, lock, true)
}
