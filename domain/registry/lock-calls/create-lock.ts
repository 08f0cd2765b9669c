import type { ParsedCreateDeploymentLockRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import { nativeEngine, requireNative } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireLater } from '../policies/check-rules.ts'
import { changeableRepository } from '../repositories/changeable-repository.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import type { LockResources } from './lock-resources.ts'
import { lockedDigest, requireReference, withChildren } from './locked-artifact.ts'
import type { StoredLock } from '../locks/locks-store.ts'
import { protect } from './protect.ts'

/**
 * Creates a deployment lock of the artifact that its reference names now. Throws REFERENCE_INVALID, REPOSITORY_DELETING,
 * ENGINE_CAPABILITY_UNSUPPORTED, EXPIRE_TIME_IN_PAST and ARTIFACT_NOT_FOUND.
 */
export function createDeploymentLock(
  { clock }: RegistryEnvironment,
  resources: LockResources,
  request: ParsedCreateDeploymentLockRequest,
  context: CallContext,
) {
  const { body, repository: id, workspace } = request
  requireReference(body.reference)
  const wanted = newLock(standardMembers(clock, context), request, context)
  // The transaction may run again, and then resolves the reference again.
  const found: { digest: string; protected_digests: string[]; repository?: StoredRepository } = {
    digest: '',
    protected_digests: [],
  }
  return resources.create(request, context, wanted, {
    async refer(tx) {
      const repository = await changeableRepository(tx, id)
      requireNative(repository?.engine ?? nativeEngine, 'DEPLOYMENT_LOCKS', 'deployment locks exist')
      requireLater(body.expire_time, 'expire_time', context.now)
      const digest = await lockedDigest(tx, id, body.reference)
      Object.assign(found, { digest, protected_digests: await withChildren(tx, id, digest), repository })
    },
    async complete(tx) {
      const { digest, protected_digests, repository } = found
      const row = { ...wanted, digest, protected_digests }
      await protect(tx, row, row.protect_tags)
      const tag = body.reference === digest ? '' : body.reference
      await recordAuditEvent(tx, clock, context, { action: 'LOCK', workspace, repository, digest, tag })
      return { row }
    },
  })
}

function newLock(
  standard: ReturnType<typeof standardMembers>,
  { body, repository, workspace }: ParsedCreateDeploymentLockRequest,
  { principal }: CallContext,
): StoredLock {
  const { etag: _precondition, name, ...settable } = withAnsweredTimes(body, 'expire_time')
  return {
    ...standard,
    ...settable,
    name: name === '' ? `lock-${standard.id}` : name,
    digest: '',
    protected_digests: [],
    state: 'REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE',
    created_by_principal_id: principal?.id ?? '',
    workspace_id: workspace,
    repository_id: repository,
    holder_workspace_id: '',
  }
}
