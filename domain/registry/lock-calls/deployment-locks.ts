import type { DeploymentLockHandlers } from '../../../output/registry/handlers.ts'
import type {
  DeleteDeploymentLockRequest,
  DeploymentLock,
  ListDeploymentLocksRequest,
} from '../../../output/registry/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Stored } from '../../ports/store.ts'
import { withDerivedTests } from '../../resources/derived-tests.ts'
import { jsonText } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepository } from '../repositories/find-repository.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { activeTest, isActive } from '../values/expiry.ts'
import type { LockResources } from './lock-resources.ts'
import { createDeploymentLock } from './create-lock.ts'
import { lockKind } from '../locks/lock-kind.ts'
import { lockCollection, type StoredLock } from '../locks/locks-store.ts'
import { release } from './protect.ts'
import { updateDeploymentLock } from './update-lock.ts'

const [active, expired] = ['REGISTRY_DEPLOYMENT_LOCK_STATE_ACTIVE', 'REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED'] as const

/** Returns the handlers of deployment locks. */
export function deploymentLocks(environment: RegistryEnvironment): DeploymentLockHandlers {
  const resources: LockResources = new Resources(lockKind, environment)
  return {
    listDeploymentLocks: (request, context) => listLocks(environment, request, context),
    getDeploymentLock: async (request, { now }) => answer(await resources.read(request), now),
    async createDeploymentLock(request, context) {
      return createDeploymentLock(environment, resources, request, context)
    },
    updateDeploymentLock: (request, context) => updateDeploymentLock(resources, request, context),
    deleteDeploymentLock: (request, context) => deleteLock(environment, resources, request, context),
  }
}

async function listLocks(
  { store, taxonomy }: RegistryEnvironment,
  request: ListDeploymentLocksRequest,
  { query }: ListContext,
): Promise<Page<DeploymentLock>> {
  await findRepository(store, taxonomy, request)
  const derived = withDerivedTests(query, { state: activeTest(active, query.now) })
  const page = await store.page(lockCollection, derived, { repository_id: request.repository })
  return { ...page, items: page.items.map(stored => answer(stored, query.now)) }
}

const deleteLock = (
  { clock }: RegistryEnvironment,
  resources: LockResources,
  request: DeleteDeploymentLockRequest,
  context: CallContext,
) =>
  resources.delete(request, context, {
    async release(tx, lock) {
      await release(tx, lock)
      const repository = await tx.get(repositoryCollection, lock.repository_id)
      const facts = { workspace: lock.workspace_id, repository: repository?.value, digest: lock.digest }
      await recordAuditEvent(tx, clock, context, { action: 'UNLOCK', ...facts })
    },
  })

function answer({ text, value }: Stored<StoredLock>, now: number): Answer<DeploymentLock> {
  const state = isActive(value, now) ? active : expired
  if (state === value.state) return text
  const { holder_workspace_id: _holder, repository_id: _repository, workspace_id: _workspace, ...shown } = value
  return jsonText({ ...shown, state })
}
