import type { PullGrantHandlers } from '../../../output/registry/handlers.ts'
import type { ListPullGrantsRequest, PullGrant } from '../../../output/registry/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { Stored } from '../../ports/store.ts'
import { withDerivedTests, type DerivedTest } from '../../resources/derived-tests.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { jsonText } from '../../resources/json-text.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { activeTest, isActive } from '../values/expiry.ts'
import { createPullGrant } from './create-grant.ts'
import { deletePullGrant } from './delete-grant.ts'
import { grantCollection, type StoredGrant } from './grants-store.ts'

const [active, expired] = ['REGISTRY_PULL_GRANT_STATE_ACTIVE', 'REGISTRY_PULL_GRANT_STATE_EXPIRED'] as const
const [outgoing, incoming] = ['REGISTRY_GRANT_DIRECTION_OUTGOING', 'REGISTRY_GRANT_DIRECTION_INCOMING'] as const

/** Returns the handlers of pull grants. */
export const pullGrants = (environment: RegistryEnvironment): PullGrantHandlers => ({
  listPullGrants: (request, context) => listPullGrants(environment, request, context),
  async createPullGrant(request, context) {
    return createPullGrant(environment, request, context)
  },
  deletePullGrant: (request, context) => deletePullGrant(environment, request, context),
})

async function listPullGrants(
  { store, taxonomy }: RegistryEnvironment,
  { engine, workspace }: ListPullGrantsRequest,
  { query }: ListContext,
): Promise<Page<PullGrant>> {
  const derived = withDerivedTests(query, { state: activeTest(active, query.now), direction: directionTest(workspace) })
  const where = [
    { grantor_workspace_id: workspace, engine },
    { grantee_workspace_id: workspace, engine },
  ]
  const page = await store.page(grantCollection, derived, where)
  if (page.items.length === 0) await requireWorkspace(store, taxonomy, workspace)
  return { ...page, items: page.items.map(stored => answer(stored, workspace, query.now)) }
}

/** Returns the test of the direction, as `workspace` sees it. */
const directionTest =
  (workspace: string): DerivedTest =>
  value => {
    const field = { name: 'grantor_workspace_id', type: 'STRING', operators: [] } as const
    const isGiven = { kind: 'compare', field, operator: '=', value: workspace } as const
    return value === outgoing ? isGiven : { kind: 'not', term: isGiven }
  }

function answer({ text, value }: Stored<StoredGrant>, workspace: string, now: number): Answer<PullGrant> {
  const direction = value.grantor_workspace_id === workspace ? outgoing : incoming
  const state = isActive(value, now) ? active : expired
  if (direction === value.direction && state === value.state) return text
  const { engine: _engine, slot: _slot, ...shown } = value
  return jsonText({ ...shown, direction, state })
}
