import type { AreaTypes } from '../../runtime/route.ts'
import type { CallContext } from '../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../runtime/field-mask.ts'
import type { JsonText } from '../../runtime/json.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Effect, Operations } from '../ports/operations.ts'
import type { Parts } from '../ports/area-parts.ts'
import { Conflict, type Stored, type Transaction } from '../ports/store.ts'
import type { Taxonomy } from '../ports/taxonomy.ts'
import { nextEtag } from './etag.ts'
import {
  idOf,
  isAt,
  lockTargets,
  makeReferences,
  parameterOf,
  placeOf,
  requireFound,
  requirePlace,
} from './find-rows.ts'
import { scopeOfRow, workspaceScope, type Kind, type Place, type Resource, type RowPath } from './kind.ts'
import type { Creation, Deletion, Standard, Update, VerbChange } from './mutation-rules.ts'
import { dropReferencesOf } from './references.ts'
import { requireUnused } from './require-unused.ts'
import { Rows } from './rows.ts'
import { requireState, transitionOf } from './states.ts'
import { takeDifference } from './quota-difference.ts'
import type { Row } from './row.ts'
import { requireUnique } from './unique.ts'

/** A kind whose type is one of the area's types. */
export type KindOf<T extends Row, Area extends AreaTypes> = Kind<T> & { readonly type: Area['resourceType'] }

type ResourceServices<Area extends AreaTypes> = Pick<Parts<Area>, 'clock' | 'store'> & {
  readonly operations: Pick<Operations<Area>, 'mutate'>
  readonly taxonomy: Pick<Taxonomy, 'chain' | 'consume' | 'requireActive' | 'share'>
}

/** Returns the members that change with every change of a settable field. */
const touched = ({ etag }: Resource, { now }: CallContext): Pick<Resource, 'etag' | 'update_time'> => ({
  etag: nextEtag(etag),
  update_time: formatMillis(now),
})

/**
 * Runs the mutations of a kind, with the checks of conventions §4 in their order: (6) a repeated Idempotency-Key, by
 * `operations.mutate`, (7) workspace, parents and the row itself, (8) immutable fields, (9) etag, (10) the state of the
 * workspace, (11) the state of the row, (12) references, (13) uniqueness, (14) quota, (15) capacity. Steps 1 to 5 have
 * passed before a handler is called. A handler adds its own rules at the steps 12 to 15. Locks are taken from the root
 * downwards: the organisation is shared, then follow the parent of the path, the targets of references with `hold:
 * 'lock'`, the row, and the other rows to which the row refers.
 */
export class Resources<T extends Resource, Area extends AreaTypes> extends Rows<T> {
  readonly #kind: KindOf<T, Area>
  readonly #parts: ResourceServices<Area>

  constructor(kind: KindOf<T, Area>, parts: ResourceServices<Area>) {
    super(kind, parts)
    this.#kind = kind
    this.#parts = parts
  }

  /** Returns the members that the platform sets in a new row of a workspace and engine. */
  standard(
    { engine, workspace }: { readonly workspace: string; readonly engine: string },
    { now }: CallContext,
  ): Standard {
    const time = formatMillis(now)
    const times = { etag: nextEtag(undefined), create_time: time, update_time: time }
    return { id: this.#parts.clock.newId(), workspace_id: workspace, engine, ...times }
  }

  /**
   * Inserts a row, and returns the operation. The caller makes the row before the call, because the transaction may run
   * more than once. A repeated Idempotency-Key must come with an equal `request`.
   */
  create(
    request: object,
    context: CallContext,
    row: T,
    { complete, count, exclude, refer }: Creation<T, Area> = {},
  ): Promise<JsonText<Area['record']>> {
    return this.#parts.operations.mutate(context, request, async (tx, operationId) => {
      const place = placeOf(row)
      const { parent } = this.#kind
      // The organisation is shared before the parent is locked. Without a parent, `requireActive` shares the
      // organisation.
      if (parent) await this.#share(tx, place)
      const above = parent && String(row[parent.member])
      if (parent && above !== undefined) {
        await parent.kind.hold(tx, above, parent.hold ?? 'share')
        await requirePlace(tx, this.#parts.taxonomy, this.#kind, place, above)
      }
      await this.#requireActive(tx, place)
      await makeReferences(tx, this.#kind, row)
      await refer?.(tx)
      if (complete) await requireUnique(tx, this.#kind.collection, row)
      else await tx.insert(this.#kind.collection, row)
      await exclude?.(tx)
      await this.#take(tx, undefined, row)
      const { row: completed, ...more } = (await complete?.(tx, operationId)) ?? {}
      if (completed) await tx.insert(this.#kind.collection, completed)
      return { ...this.#effect('CREATE', row), ...more, ...(await count?.(tx, operationId)) }
    })
  }

  /**
   * Changes settable fields by the mask of the request (conventions §6), and returns the operation. An update without a
   * changed value does not write the row.
   */
  update(
    request: RowPath & { readonly body: { readonly etag?: string }; readonly update_mask?: string },
    context: CallContext,
    { above, absent, count, exclude, found, refer }: Update<T, Area> = {},
  ): Promise<JsonText<Area['record']>> {
    const { body, update_mask } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      above?.()
      const { id, value: before, version } = await this.#hold(tx, request)
      found?.(before)
      const update = applyUpdate(this.#kind.fields ?? {}, before, { ...absent?.(before), ...body }, update_mask)
      await this.#requireChangeable(tx, request, before, body.etag, 'update')
      if (update.changed.length === 0) return this.#effect('UPDATE', before)
      const { cleared = [], members, ...more } = (await refer?.(tx, update, before)) ?? {}
      const next = { ...update.value, ...members, ...touched(before, context) }
      for (const member of cleared) Reflect.deleteProperty(next, member)
      await tx.update(this.#kind.collection, id, next, version)
      await exclude?.(tx, update, before)
      await this.#take(tx, before, next)
      const left = await count?.(tx, update, before)
      return { ...this.#effect('UPDATE', next), ...more, ...left, changed: update.changed }
    })
  }

  /** Deletes a row, and returns the operation. Throws the kind's `*_IN_USE` if another row refers to the row. */
  delete(
    request: RowPath & { readonly etag?: string },
    context: CallContext,
    { above, found, lockFirst, release }: Deletion<T, Area> = {},
  ): Promise<JsonText<Area['record']>> {
    return this.#parts.operations.mutate(context, request, async tx => {
      above?.()
      const { id, value, version } = await this.#hold(tx, request, lockFirst)
      found?.(value)
      await this.#requireChangeable(tx, request, value, request.etag, 'delete')
      await requireUnused(tx, this.#kind, value)
      await dropReferencesOf(tx, { type: this.#kind.type, id })
      await tx.delete(this.#kind.collection, id, version)
      await this.#take(tx, value, undefined)
      return { ...this.#effect('DELETE', value), ...(await release?.(tx, value)) }
    })
  }

  /**
   * Runs a verb of the kind's table of states: sets the state that the table gives, the members that `change` returns,
   * and the update time. The etag stays. `change` gets the row before the verb, and the id of the operation; `found` is
   * that of `Deletion`.
   */
  verb(
    name: string,
    request: RowPath & { readonly body?: { readonly etag?: string } },
    context: CallContext,
    change: (tx: Transaction, row: T, operationId: string) => Promise<VerbChange<T, Area> | void> = async () => {},
    { found }: Pick<Deletion<T, Area>, 'found'> = {},
  ): Promise<JsonText<Area['record']>> {
    const { states } = this.#kind
    const transition = states && transitionOf(states, name)
    if (!states || !transition) throw new Error(`${this.#kind.type} has no verb "${name}" in its table of states`)
    return this.#parts.operations.mutate(context, request, async (tx, operationId) => {
      const { id, value, version } = await this.#hold(tx, request)
      found?.(value)
      await this.#requireChangeable(tx, request, value, request.body?.etag, name)
      const { cleared = [], members, ...more } = (await change(tx, value, operationId)) ?? {}
      const state = transition.to === undefined ? {} : { [states.member]: transition.to }
      const next = { ...value, ...state, ...members, update_time: formatMillis(context.now) }
      for (const member of cleared) Reflect.deleteProperty(next, member)
      await tx.update(this.#kind.collection, id, next, version)
      await this.#take(tx, value, next)
      return { ...this.#effect(transition.type, value), ...more }
    })
  }

  /**
   * Step 7: shares the organisation, whatever its state is, holds the parent, and locks the row after the rows that
   * `lockFirst` locks. Returns the row, or throws `*_NOT_FOUND`.
   */
  async #hold(tx: Transaction, path: RowPath, lockFirst?: Deletion<T, Area>['lockFirst']): Promise<Stored<T>> {
    await this.#share(tx, path)
    await lockFirst?.(tx)
    const { parent } = this.#kind
    if (parent) await parent.kind.hold(tx, parameterOf(path, parent.parameter), parent.hold ?? 'share')
    const id = await idOf(tx, this.#kind, path.id, path.engine)
    const stored = id === undefined ? undefined : await this.#lock(tx, path, id)
    return requireFound(tx, this.#parts.taxonomy, this.#kind, path, stored)
  }

  /**
   * Locks and returns the row, after the targets of its references with `hold: 'lock'`, which is the order of a
   * creation. Throws `Conflict` if a reference changed in between.
   */
  async #lock(tx: Transaction, path: Place, id: string): Promise<Stored<T> | undefined> {
    const { collection, references = [] } = this.#kind
    const locking = references.filter(({ hold }) => hold === 'lock')
    const seen = locking.length === 0 ? undefined : (await tx.get(collection, id))?.value
    // A row at another place counts as absent, and its targets may belong to another workspace.
    if (seen && isAt(seen, path)) await lockTargets(tx, locking, seen)
    const stored = await tx.lock(collection, id)
    const isMoved = stored && seen && locking.some(({ member }) => stored.value[member] !== seen[member])
    if (isMoved) throw new Conflict(`${this.#kind.type} ${id} refers to another row since its targets were locked`)
    return stored
  }

  /** Steps 9 to 11: checks the etag, the state of the workspace and the state of the row. */
  async #requireChangeable(
    tx: Transaction,
    path: Place,
    row: T,
    etag: string | undefined,
    verb: string,
  ): Promise<void> {
    checkEtag(etag, row.etag)
    await this.#requireActive(tx, path)
    requireState(this.#kind, row, verb)
  }

  async #share(tx: Transaction, { workspace }: Place): Promise<void> {
    if (workspace !== undefined) await this.#parts.taxonomy.share(tx, workspaceScope(workspace))
  }

  async #requireActive(tx: Transaction, { workspace }: Place): Promise<void> {
    if (workspace !== undefined) await this.#parts.taxonomy.requireActive(tx, workspace)
  }

  /** Step 14 for the quotas of taxonomy that the kind declares: takes or returns the difference between two rows. */
  async #take(tx: Transaction, before: T | undefined, after: T | undefined): Promise<void> {
    const { takes } = this.#kind
    const workspace = (before ?? after)?.workspace_id
    if (!takes || workspace === undefined) return
    const [given, taken] = [before ? takes(before) : [], after ? takes(after) : []]
    await takeDifference(tx, this.#parts.taxonomy, workspace, given, taken)
  }

  #effect(type: Area['operationType'], row: T): Effect<Area> {
    const { type: resourceType } = this.#kind
    return { type, resourceType, resourceId: row.id, scope: scopeOfRow(this.#kind, row) }
  }
}
