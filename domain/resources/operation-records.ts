import type { AreaTypes } from '../../runtime/route.ts'
import { operationNotFound } from '../../output/shared/errors.ts'
import type { ListContext } from '../../runtime/context.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { seenBy } from '../ports/access.ts'
import type { Parts } from '../ports/area-parts.ts'

/**
 * Serves the operation records of an area, with equal behaviour in every area (conventions §5, §9). The class of an
 * area extends this class.
 */
export class OperationRecords<Area extends AreaTypes> {
  readonly #parts: Pick<Parts<Area>, 'access' | 'store' | 'operations'>

  constructor(parts: Pick<Parts<Area>, 'access' | 'store' | 'operations'>) {
    this.#parts = parts
  }

  /** Lists the operations at the scopes where the caller has the permission, and the caller's own operations. */
  async listOperations(_request: object, context: ListContext): Promise<Page<Area['record']>> {
    const { access, operations, store } = this.#parts
    const seen = await access.visible(context, context.operation?.permission ?? '', { isOwn: true })
    const own = { principal_id: context.principal?.id ?? '' }
    const where = seen === 'everything' ? {} : [seenBy(seen, 'scope_id'), own]
    return store.list(operations.collection, context.query, where)
  }

  async getOperation({ id }: { readonly id: string }): Promise<Answer<Area['record']>> {
    const { operations, store } = this.#parts
    const stored = await store.get(operations.collection, id)
    if (stored) return stored.text
    throw operationNotFound(`operation ${id} does not exist; operations are kept for at least 30 days`, {
      resource: { type: 'operations', name: id },
    })
  }
}
