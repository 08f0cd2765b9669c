import { operationNotFound } from '../../output/shared/errors.ts'
import type { ListContext } from '../../runtime/context.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import type { Parts } from '../ports/parts.ts'

/** The operations resource, alike in every area (conventions §5, §9). An area extends it. */
export class OperationRecords<Record> {
  readonly #parts: Pick<Parts<Record>, 'store' | 'operations'>

  constructor(parts: Pick<Parts<Record>, 'store' | 'operations'>) {
    this.#parts = parts
  }

  async listOperations(_request: object, { query }: ListContext): Promise<Page<Record>> {
    const { operations, store } = this.#parts
    return store.list(operations.collection, query)
  }

  async getOperation({ id }: { readonly id: string }): Promise<Answer<Record>> {
    const { operations, store } = this.#parts
    const stored = await store.get(operations.collection, id)
    if (stored) return stored.text
    throw operationNotFound(`operation ${id} does not exist; operations are kept for at least 30 days`)
  }
}
