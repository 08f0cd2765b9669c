import { fieldInvalid } from '../../output/shared/errors.ts'
import { organisationNotEmpty, organisationNotFound, organisationStateInvalid } from '../../output/taxonomy/errors.ts'
import type { OrganisationHandlers } from '../../output/taxonomy/handlers.ts'
import type {
  CreateOrganisationGiven,
  DeleteOrganisationRequest,
  GetOrganisationRequest,
  LifecycleState,
  ListOrganisationsRequest,
  Organisation,
  TaxonomyOperation,
  UpdateOrganisationRequest,
} from '../../output/taxonomy/types.ts'
import { organisationFields } from '../../output/taxonomy/validators.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../runtime/field-mask.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Effect } from '../ports/operations.ts'
import type { Parts } from '../ports/parts.ts'
import { systemOrganisationId } from '../ports/reserved.ts'
import type { Reader, Stored, Transaction } from '../ports/store.ts'
import { nextEtag } from './etag.ts'
import { groups, organisations, workspaces } from './nodes.ts'
import { quotaOverrides } from './quota-overrides-store.ts'

/** The roots of the tree (taxonomy.md §1). */
export class Organisations implements OrganisationHandlers {
  readonly #parts: Parts<TaxonomyOperation>

  constructor(parts: Parts<TaxonomyOperation>) {
    this.#parts = parts
  }

  async listOrganisations(_request: ListOrganisationsRequest, { query }: ListContext): Promise<Page<Organisation>> {
    return this.#parts.store.list(organisations, query)
  }

  async getOrganisation({ id }: GetOrganisationRequest): Promise<Answer<Organisation>> {
    return found(await this.#parts.store.get(organisations, id), id).text
  }

  async createOrganisation(request: CreateOrganisationGiven, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    const { clock, operations } = this.#parts
    const { owner_principal_id, etag: _precondition, ...settable } = request.body
    const organisation = newOrganisation(clock.newId(), formatMillis(context.now), settable)
    return operations.mutate(context, request, async tx => {
      if (owner_principal_id !== undefined) await this.#requireOwner(tx, owner_principal_id)
      await tx.insert(organisations, organisation)
      return effect('CREATE', organisation.id)
    })
  }

  async updateOrganisation(
    request: UpdateOrganisationRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { body, id, update_mask } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const stored = found(await tx.lock(organisations, id), id)
      const { changed, value } = applyUpdate(organisationFields, stored.value, body, update_mask)
      checkEtag(body.etag, stored.value.etag)
      requireState(stored.value, ['TAXONOMY_LIFECYCLE_STATE_ACTIVE'])
      if (changed.length > 0) {
        const next = { ...value, etag: nextEtag(stored.value.etag), update_time: formatMillis(context.now) }
        await tx.update(organisations, id, next, stored.version)
      }
      return { ...effect('UPDATE', id), changed }
    })
  }

  /** Bottom up only: what is still below must be deleted first. Overrides at the organisation go with it. */
  async deleteOrganisation(
    request: DeleteOrganisationRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { etag, id } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const stored = found(await tx.lock(organisations, id), id)
      checkEtag(etag, stored.value.etag)
      requireState(stored.value, id === systemOrganisationId ? [] : ['TAXONOMY_LIFECYCLE_STATE_ARCHIVED'])
      await requireEmpty(tx, stored.value)
      await deleteOverrides(tx, id)
      await tx.delete(organisations, id, stored.version)
      return effect('DELETE', id)
    })
  }

  async #requireOwner(tx: Transaction, id: string): Promise<void> {
    const principal = await this.#parts.principals.find(tx, id)
    if (principal && principal.status !== 'DEACTIVATED') return
    const description = 'must be the id of a user or service account that is not deactivated'
    throw fieldInvalid(`owner_principal_id ${description}`, {
      badRequest: [{ field: 'owner_principal_id', description }],
    })
  }
}

/** An organisation without anything below it. */
export function newOrganisation(
  id: string,
  time: string,
  settable: Pick<Organisation, 'name' | 'display_name' | 'description' | 'contact_email' | 'labels'>,
): Organisation {
  return {
    id,
    ...settable,
    state: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
    effective_state: 'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
    effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: id },
    state_reason: '',
    state_changed_by: '',
    group_count: 0,
    workspace_count: 0,
    etag: nextEtag(undefined),
    create_time: time,
    update_time: time,
  }
}

function found(stored: Stored<Organisation> | undefined, id: string): Stored<Organisation> {
  if (stored) return stored
  throw organisationNotFound(`organisation ${id} does not exist`, {
    resource: { type: 'taxonomy.organisations', name: id },
  })
}

/** A call that is allowed in some states only; in none for what the platform keeps for itself. */
function requireState({ effective_state, name }: Organisation, allowed: readonly LifecycleState[]): void {
  if (allowed.includes(effective_state)) return
  const wanted = allowed.length === 0 ? 'it belongs to the platform' : `the call needs ${allowed.join(' or ')}`
  throw organisationStateInvalid(`organisation ${name} is ${effective_state}; ${wanted}`, {
    current_state: effective_state,
    allowed_states: allowed.join(','),
  })
}

async function requireEmpty(reader: Reader, { id, name }: Organisation): Promise<void> {
  const children = [
    { type: 'taxonomy.groups', count: await reader.count(groups, { organisation_id: id, parent_group_id: '' }) },
    {
      type: 'taxonomy.workspaces',
      count: await reader.count(workspaces, { organisation_id: id, parent_group_id: '' }),
    },
  ].filter(({ count }) => count > 0)
  if (children.length === 0) return
  throw organisationNotEmpty(`organisation ${name} is not empty; delete what is below it first`, {
    precondition: children.map(({ type, count }) => ({ type, subject: id, description: `${count} left` })),
  })
}

async function deleteOverrides(tx: Transaction, organisation: string): Promise<void> {
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: organisation }
  for (let next = await tx.find(quotaOverrides, scope); next; next = await tx.find(quotaOverrides, scope)) {
    await tx.delete(quotaOverrides, next.id, next.version)
  }
}

const effect = (type: Effect['type'], id: string): Effect => ({
  type,
  resourceType: 'taxonomy.organisations',
  resourceId: id,
  scope: { type: 'ORGANISATION', id },
})
