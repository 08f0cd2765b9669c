import { fieldInvalid } from '../../output/shared/errors.ts'
import { organisationNotEmpty } from '../../output/taxonomy/errors.ts'
import type { OrganisationHandlers } from '../../output/taxonomy/handlers.ts'
import type {
  ParsedCreateOrganisationRequest,
  DeleteOrganisationRequest,
  GetOrganisationRequest,
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
import type { Transaction } from '../ports/store.ts'
import { seenNodes } from './access-scopes.ts'
import { organisationAnswer } from './answers.ts'
import { nextEtag } from '../resources/etag.ts'
import { effectOn, organisationKind, requireNodeState, unlessPlatforms } from './tree/kinds.ts'
import { changeState, dropArchival, type Verb } from './tree/lifecycle.ts'
import { organisations, trees, type StoredOrganisation } from './tree/nodes.ts'
import type { TaxonomyEnvironment } from './tree/taxonomy-environment.ts'
import { deleteOverridesAt } from './quotas/quota-overrides-store.ts'
import { requireEmpty } from './require-empty.ts'
import { active, archived } from './tree/states.ts'
import { foundOrganisation, lockTree } from './tree/tree-lock.ts'
import { endTotals } from './quotas/usage.ts'

/** Serves organisations, the roots of the tree (taxonomy.md §1). */
export class Organisations implements OrganisationHandlers {
  readonly #parts: TaxonomyEnvironment

  constructor(parts: TaxonomyEnvironment) {
    this.#parts = parts
  }

  async listOrganisations(_request: ListOrganisationsRequest, context: ListContext): Promise<Page<Organisation>> {
    const { access, store } = this.#parts
    const page = await store.page(organisations, context.query, await seenNodes(access, context))
    return { ...page, items: await Promise.all(page.items.map(stored => organisationAnswer(store, stored))) }
  }

  async getOrganisation({ id }: GetOrganisationRequest): Promise<Answer<Organisation>> {
    const { store } = this.#parts
    return organisationAnswer(store, foundOrganisation(await store.get(organisations, id), id))
  }

  async createOrganisation(
    request: ParsedCreateOrganisationRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { clock, operations } = this.#parts
    const { owner_principal_id, etag: _precondition, ...settable } = request.body
    const organisation = newOrganisation(clock.newId(), formatMillis(context.now), settable)
    return operations.mutate(context, request, async tx => {
      if (owner_principal_id !== undefined) await this.#requireOwner(tx, owner_principal_id)
      await insertOrganisation(tx, organisation)
      const effect = effectOn(organisationKind, 'CREATE', organisation.id, [])
      await this.#parts.functions.iam.grantCreator(tx, owner_principal_id ?? context.principal?.id ?? '', effect)
      return effect
    })
  }

  async updateOrganisation(
    request: UpdateOrganisationRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { body, id, update_mask } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const stored = foundOrganisation(await tx.lock(organisations, id), id)
      const { changed, value } = applyUpdate(organisationFields, stored.value, body, update_mask)
      checkEtag(body.etag, stored.value.etag)
      requireNodeState(organisationKind, stored.value, [active])
      if (changed.length > 0) {
        const next = { ...value, etag: nextEtag(stored.value.etag), update_time: formatMillis(context.now) }
        await tx.update(organisations, id, next, stored.version)
      }
      return { ...effectOn(organisationKind, 'UPDATE', id, []), changed }
    })
  }

  /**
   * Deletes an empty organisation; its descendants must be deleted before. The overrides at the organisation are
   * deleted too.
   */
  async deleteOrganisation(
    request: DeleteOrganisationRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { etag, id } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const stored = await lockTree(tx, id)
      checkEtag(etag, stored.value.etag)
      requireNodeState(organisationKind, stored.value, unlessPlatforms(id, [archived]))
      await requireEmpty(tx, { organisation_id: id, parent_group_id: '' }, stored.value, organisationNotEmpty)
      await deleteOverridesAt(tx, id)
      await dropArchival(tx, id)
      await endTotals(tx, id)
      await deleteTree(tx, id)
      await tx.delete(organisations, id, stored.version)
      const effect = effectOn(organisationKind, 'DELETE', id, [])
      await this.#parts.functions.iam.scopeChanged(tx, effect.scope, 'DELETED')
      return effect
    })
  }

  readonly archiveOrganisation = this.#change('archive')
  readonly restoreOrganisation = this.#change('restore')
  readonly suspendOrganisation = this.#change('suspend')
  readonly resumeOrganisation = this.#change('resume')

  /** Returns the handler of a state verb. An organisation has no parent, so only its own state is checked. */
  #change(verb: Verb): OrganisationHandlers['suspendOrganisation'] {
    return (request, context) =>
      this.#parts.operations.mutate(context, request, async tx => {
        const { etag, reason } = request.body
        const stored = await lockTree(tx, request.id)
        checkEtag(etag, stored.value.etag)
        const node = { kind: organisationKind, above: [], stored }
        return changeState(tx, node, verb, { reason, context, iam: this.#parts.functions.iam })
      })
  }

  async #requireOwner(tx: Transaction, id: string): Promise<void> {
    const principal = await this.#parts.functions.iam.findPrincipal(tx, id)
    if (principal && principal.status !== 'DEACTIVATED') return
    const description = 'must be the id of a user or service account that is not deactivated'
    throw fieldInvalid(`owner_principal_id ${description}`, {
      badRequest: [{ field: 'owner_principal_id', description }],
    })
  }
}

/** Returns the row of a new organisation. */
export function newOrganisation(
  id: string,
  time: string,
  settable: Pick<StoredOrganisation, 'name' | 'display_name' | 'description' | 'contact_email' | 'labels'>,
): StoredOrganisation {
  return {
    id,
    ...settable,
    state: active,
    effective_state: active,
    effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: id },
    state_reason: '',
    state_changed_by: '',
    etag: nextEtag(undefined),
    create_time: time,
    update_time: time,
  }
}

/** Inserts an organisation with an empty tree. Throws ORGANISATION_ALREADY_EXISTS. */
export async function insertOrganisation(tx: Transaction, organisation: StoredOrganisation): Promise<void> {
  await tx.insert(organisations, organisation)
  await tx.insert(trees, { id: organisation.id, tree_version: 1, group_count: 0, workspace_count: 0 })
}

async function deleteTree(tx: Transaction, id: string): Promise<void> {
  const tree = await tx.lock(trees, id)
  if (tree) await tx.delete(trees, id, tree.version)
}
