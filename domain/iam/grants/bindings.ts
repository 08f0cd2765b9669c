import type { IamArea } from '../../../output/iam/area.ts'
import { bindingNotFound } from '../../../output/iam/errors.ts'
import type { BindingHandlers } from '../../../output/iam/handlers.ts'
import type {
  Binding,
  ParsedCreateBindingRequest,
  DeleteBindingRequest,
  GetBindingRequest,
  IamOperation,
  ListBindingsRequest,
} from '../../../output/iam/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { seenBy } from '../../ports/access.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'
import { checkCondition } from '../conditions/conditions.ts'
import { deniedFirst } from './denied-first.ts'
import { requireAdministrators } from './escalation.ts'
import { grantRole } from './grants.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { checkScopeForm, scopeOfMembers } from '../values/scopes.ts'

/** Serves bindings: roles of principals at scopes (iam.md 1). */
export class Bindings implements BindingHandlers {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async listBindings(_request: ListBindingsRequest, context: ListContext): Promise<Page<Binding>> {
    const { access, store } = this.#parts
    const seen = await access.visible(context, 'iam.bindings.list')
    return store.list(bindings, context.query, seenBy(seen, 'scope_id'))
  }

  async getBinding({ id }: GetBindingRequest): Promise<Answer<Binding>> {
    return foundBinding(await this.#parts.store.get(bindings, id), id).text
  }

  async createBinding(request: ParsedCreateBindingRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { condition, expire_time, principal_id, role_id } = request.body
    checkScopeForm(request.body)
    checkCondition(condition, 'condition')
    const grant = {
      context,
      principal: principal_id,
      role_id,
      scope: scopeOfMembers(request.body),
      condition,
      expire_time,
    }
    return mutateIam(this.#parts, context, request, async tx =>
      effectOn('CREATE', await grantRole(tx, this.#parts, grant)),
    )
  }

  /** Deletes a binding. The scope need not be active, because access must always be removable. */
  async deleteBinding(request: DeleteBindingRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { etag, id } = request
    const { feed } = this.#parts
    let at: Scope | undefined
    const change = async (tx: Transaction): Promise<Effect<IamArea>> => {
      await feed.hold(tx)
      const { value, version } = foundBinding(await tx.lock(bindings, id), id)
      at = scopeOfMembers(value)
      checkEtag(etag, value.etag)
      await requireAdministrators(tx, this.#parts, context, [value])
      await tx.delete(bindings, id, version)
      await feed.revise(tx, 'PRINCIPAL', value.principal_id)
      return effectOn('DELETE', value)
    }
    const run = () => mutateIam(this.#parts, context, request, change)
    return deniedFirst(this.#parts, context, () => at, run)
  }
}

function foundBinding(stored: Stored<Binding> | undefined, id: string): Stored<Binding> {
  if (stored) return stored
  throw bindingNotFound(`binding ${id} does not exist`, { resource: { type: 'iam.bindings', name: id } })
}

const effectOn = (type: IamArea['operationType'], binding: Binding): Effect<IamArea> => ({
  type,
  resourceType: 'iam.bindings',
  resourceId: binding.id,
  scope: scopeOfMembers(binding),
})
