import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { Answer, JsonText } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { AreaTypes } from '../../../runtime/route.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { seenBy } from '../../ports/access.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Transaction } from '../../ports/store.ts'
import { nextEtag } from '../etag.ts'
import { type Kind } from '../kind.ts'
import { Resources } from '../resources.ts'
import { requireDefinition } from './definition-handlers.ts'
import type { Definition } from './definitions.ts'
import { LimitBuckets } from './limit-buckets.ts'
import type { Quotas } from './quotas.ts'
import type { LimitAnswer, LimitDeclaration, StoredLimit } from './limit-kind.ts'

interface DefinitionPath {
  readonly quota_definition: string
}

interface LimitPath extends DefinitionPath {
  readonly id: string
}

type Created<ScopeType> = Readonly<{
  description: string
  scope_type: ScopeType
  scope_id: string
  dimensions: Record<string, string>
  limit: number
}>

/**
 * Serves the quota limits of an area (network.md 1). Only callers with a permission at PLATFORM create, change and
 * delete limits.
 */
export class QuotaLimits<ScopeType extends string, Area extends AreaTypes> {
  readonly #parts: Parts<Area>
  readonly #quotas: Quotas
  readonly #declared: LimitDeclaration<ScopeType, Area>
  readonly #kind: Kind<StoredLimit<ScopeType>>
  readonly #resources: Resources<StoredLimit<ScopeType>, Area>
  readonly #buckets: LimitBuckets<ScopeType, Area>

  constructor(
    parts: Parts<Area>,
    quotas: Quotas,
    declared: LimitDeclaration<ScopeType, Area>,
    kind: Kind<StoredLimit<ScopeType>> & { readonly type: Area['resourceType'] },
  ) {
    this.#parts = parts
    this.#quotas = quotas
    this.#declared = declared
    this.#kind = kind
    this.#resources = new Resources(kind, parts)
    this.#buckets = new LimitBuckets(quotas, declared)
  }

  async listQuotaLimits(
    { quota_definition: id }: DefinitionPath,
    context: ListContext,
  ): Promise<Page<LimitAnswer<ScopeType>>> {
    const { access, store } = this.#parts
    const definition = this.#require(id)
    const seen = seenBy(await access.visible(context, context.operation?.permission ?? ''), 'scope_id')
    const page = await store.page(this.#kind.collection, context.query, { quota_definition_id: id, ...seen })
    const items = await Promise.all(page.items.map(({ value }) => this.#buckets.answer(store, definition, value)))
    return { ...page, items }
  }

  async getQuotaLimit({ id, quota_definition }: LimitPath): Promise<Answer<LimitAnswer<ScopeType>>> {
    const definition = this.#require(quota_definition)
    const { value } = await this.#resources.read({ id })
    this.#requireOf(definition, value)
    return this.#buckets.answer(this.#parts.store, definition, value)
  }

  createQuotaLimit(
    request: DefinitionPath & { readonly body: Created<ScopeType> },
    context: CallContext,
  ): Promise<JsonText<Area['record']>> {
    const { description, dimensions, limit, scope_id, scope_type } = request.body
    const time = formatMillis(context.now)
    const id = this.#parts.clock.newId()
    const times = { etag: nextEtag(undefined), create_time: time, update_time: time }
    const settable = { description, scope_type, scope_id, dimensions, limit }
    const row = { id, quota_definition_id: request.quota_definition, ...settable, ...times }
    return this.#resources.create(request, context, row, {
      refer: async tx => {
        const definition = this.#require(request.quota_definition)
        this.#buckets.requireDimensions(definition, dimensions)
        await this.#requireScope(tx, definition, row)
      },
      exclude: tx => this.#buckets.take(tx, row),
      count: async tx => ({ warnings: await this.#buckets.warnings(tx, this.#require(request.quota_definition), row) }),
    })
  }

  updateQuotaLimit(
    request: LimitPath & { readonly body: { readonly etag?: string }; readonly update_mask?: string },
    context: CallContext,
  ): Promise<JsonText<Area['record']>> {
    return this.#resources.update(request, context, {
      above: () => void this.#require(request.quota_definition),
      found: row => this.#requireOf(this.#require(request.quota_definition), row),
      refer: async (tx, { changed, value }) => {
        if (!changed.includes('limit')) return {}
        await this.#buckets.change(tx, value)
        return { warnings: await this.#buckets.warnings(tx, this.#require(request.quota_definition), value) }
      },
    })
  }

  deleteQuotaLimit(
    request: LimitPath & { readonly etag?: string },
    context: CallContext,
  ): Promise<JsonText<Area['record']>> {
    return this.#resources.delete(request, context, {
      above: () => void this.#require(request.quota_definition),
      found: row => this.#requireOf(this.#require(request.quota_definition), row),
      release: (tx, row) => this.#buckets.release(tx, row),
    })
  }

  /**
   * Deletes the limits and the buckets of a purged workspace in one transaction. The limits of a deleted organisation
   * stay until a caller deletes them.
   */
  async purge(workspace: string): Promise<void> {
    const { store } = this.#parts
    await store.tx(async tx => {
      for await (const { id, version } of tx.each(this.#kind.collection, { scope_id: workspace }))
        await tx.delete(this.#kind.collection, id, version)
      // A bucket must never name a deleted limit, so the same transaction deletes the buckets.
      await this.#quotas.purgeIn(tx, workspace)
    })
  }

  #require(id: string): Definition {
    return requireDefinition(this.#quotas, this.#declared.errors, id)
  }

  /** Throws the area's error for an absent limit unless the limit belongs to the definition in the path. */
  #requireOf(definition: Definition, { id, quota_definition_id }: StoredLimit<ScopeType>): void {
    if (quota_definition_id === definition.id) return
    const { errors, type } = this.#declared
    throw errors.notFound(`quota definition ${definition.id} has no limit ${id}`, { resource: { type, name: id } })
  }

  async #requireScope(tx: Transaction, definition: Definition, row: StoredLimit<ScopeType>): Promise<void> {
    const { errors, scopeTypes } = this.#declared
    const wanted = scopeTypes[definition.scope]
    if (row.scope_type !== wanted) {
      throw faultAt(errors.scopeInvalid, 'scope_type', `quota definition ${definition.id} counts at ${wanted}`)
    }
    const scope = this.#buckets.scopeOf(row)
    await this.#parts.taxonomy.share(tx, scope)
    if (await this.#parts.taxonomy.chain(tx, scope)) return
    throw faultAt(errors.scopeInvalid, 'scope_id', `there is no ${scope.type.toLowerCase()} ${scope.id.slice(0, 80)}`)
  }
}
