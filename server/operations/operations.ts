import type { Audit } from '../../domain/ports/audit.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Effect, Operations } from '../../domain/ports/operations.ts'
import { systemPrincipalId } from '../../domain/ports/reserved.ts'
import type { Collection, Store, Stored, Transaction } from '../../domain/ports/store.ts'
import { operationCancelled } from '../../output/shared/errors.ts'
import { effectActivity } from '../audit/effects.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { ListFields } from '../../runtime/filter/types.ts'
import { JsonText } from '../../runtime/json.ts'
import type { AreaTypes } from '../../runtime/route.ts'
import { Faults } from '../../runtime/validation.ts'
import { commonError, operationsCollection } from './area-records.ts'
import { failWork } from './end-work.ts'
import { callKey, recall, remember, type CallKey } from './idempotency.ts'
import { newRecord, type Cause } from './record.ts'
import type { WorkQueue } from './work-queue.ts'
import { works } from './work.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** The parts of the operations of all areas. */
export interface OperationsServices {
  readonly store: Store
  readonly clock: Clock
  readonly audit: Audit
  readonly queue: WorkQueue
}

/** The facts of one area for its operations. */
export interface OperationsOptions<Area extends AreaTypes> {
  /** The name, which is the prefix of table and enums, and the base of the codes of errors in operations. */
  readonly domain: ErrorDomain
  /** The fields by which `listOperations` filters and sorts, from the area's filters. */
  readonly list: ListFields
  /** Checks an operation record of the area before the record is stored: the generated check of the schema. */
  readonly check: (value: unknown, faults: Faults) => value is Area['record']
}

/** Returns the operations of one area, which record its mutations (conventions §5, §6, §13). */
export function operationsOf<Area extends AreaTypes>(
  parts: OperationsServices,
  options: OperationsOptions<Area>,
): Operations<Area> {
  return new AreaOperations(parts, options)
}

class AreaOperations<Area extends AreaTypes> implements Operations<Area> {
  readonly collection: Collection<Area['record']>
  readonly #parts: OperationsServices
  readonly #options: OperationsOptions<Area>

  constructor(parts: OperationsServices, options: OperationsOptions<Area>) {
    this.collection = operationsCollection<Area['record']>(options.domain.name, options.list)
    this.#parts = parts
    this.#options = options
  }

  async mutate(
    context: CallContext,
    request: object,
    change: (tx: Transaction, operationId: string) => Promise<Effect<Area>>,
  ): Promise<JsonText<Area['record']>> {
    const { clock, store } = this.#parts
    const key = callKey(context, request)
    const id = clock.newId()
    return store.tx(async tx => {
      const earlier = key && (await this.#replay(tx, key, context))
      if (earlier !== undefined) return earlier
      // The key is inserted first: a concurrent call with the same key waits here and finds the key, instead of failing
      // because of the name that this call takes.
      if (key) await remember(tx, key, context.now, { operations: this.collection.name, operation_id: id })
      const { text } = await this.#record(tx, id, causeOf(context), await change(tx, id), context)
      return text
    })
  }

  unrecorded(context: CallContext, effect: Effect<Area>): JsonText<Area['record']> {
    const record = newRecord(this.#options.domain.name, this.#parts.clock.newId(), causeOf(context), effect)
    return new JsonText(JSON.stringify(this.#proved(record)))
  }

  async begin(tx: Transaction, effect: Effect<Area>): Promise<string> {
    const id = this.#parts.clock.newId()
    await this.#record(tx, id, this.#unasked(), effect, undefined)
    return id
  }

  async follow(tx: Transaction, work: Parameters<Operations<Area>['follow']>[1]): Promise<void> {
    const { afterMs, scope, ...order } = work
    await this.#parts.queue.add(tx, this.#parts.clock.newId(), order, scope, this.#unasked(), false, afterMs)
  }

  async cancel(tx: Transaction, operationId: string, reason: string): Promise<boolean> {
    const { clock, queue } = this.#parts
    const work = await tx.lock(works, operationId)
    const declared = work && queue.find(work.value.kind)
    if (declared?.records.area !== this.#options.domain.name || !work?.value.has_operation) return false
    const error = commonError(declared.records, operationCancelled, reason)
    await failWork(tx, { queue, declared, work, now: clock.now(), errors: [error] })
    return true
  }

  async #replay(tx: Transaction, key: CallKey, context: CallContext): Promise<JsonText<Area['record']> | undefined> {
    const known = await recall(tx, key, context.now)
    return known && (await tx.get(this.collection, known.operation_id))?.text
  }

  /** Inserts the operation, the work and the activity of an effect, and returns the stored operation. */
  async #record(
    tx: Transaction,
    id: string,
    cause: Cause,
    effect: Effect,
    context: CallContext | undefined,
  ): Promise<Stored<Area['record']>> {
    const { audit, queue } = this.#parts
    const { domain } = this.#options
    const operation: unknown = newRecord(domain.name, id, cause, effect)
    const stored = await tx.insert(this.collection, this.#proved(operation))
    if (effect.procedure) await queue.add(tx, id, effect.procedure, effect.scope, cause, true)
    await audit.recordActivity(tx, effectActivity(domain.name, id, effect, context))
    return stored
  }

  #proved(operation: unknown): Area['record'] {
    const { check, domain } = this.#options
    const faults = new Faults()
    if (check(operation, faults)) return operation
    const [fault] = faults.list
    throw new TypeError(
      `the operation of a ${domain.name} call does not fit its schema: ${fault?.field} ${fault?.description}`,
    )
  }

  #unasked(): Cause {
    return { principalId: systemPrincipalId, traceId: '', now: this.#parts.clock.now() }
  }
}

const causeOf = ({ principal, traceId, now }: CallContext): Cause => ({
  principalId: principal?.id ?? systemPrincipalId,
  traceId,
  now,
})
