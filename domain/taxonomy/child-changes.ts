import type { ParsedStateChange, TaxonomyOperation } from '../../output/taxonomy/types.ts'
import type { CallContext } from '../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../runtime/field-mask.ts'
import type { Answer } from '../../runtime/json.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { nextEtag } from '../resources/etag.ts'
import { effectOn, requireNodeState, type ChildKind, type ChildPath, type StoredChild } from './tree/kinds.ts'
import { changeState, type Verb } from './tree/lifecycle.ts'
import { scopesOf } from './tree/locate.ts'
import { lockChild } from './tree/lock-child.ts'
import { activeParent } from './tree/parents.ts'
import { active } from './tree/states.ts'
import type { TaxonomyEnvironment } from './tree/taxonomy-environment.ts'
import { changeTree, shareTree } from './tree/tree-lock.ts'

/** An update of a group or workspace. */
interface ChildUpdate extends ChildPath {
  readonly body: { readonly etag?: string | undefined }
  readonly update_mask?: string | undefined
}

/** Updates the settable fields of an active group or workspace below an active parent. */
export function updateChild<T extends StoredChild>(
  { operations }: TaxonomyEnvironment,
  kind: ChildKind<T>,
  request: ChildUpdate,
  context: CallContext,
): Promise<Answer<TaxonomyOperation>> {
  const { body, id, update_mask } = request
  return operations.mutate(context, request, async tx => {
    const organisation = await shareTree(tx, request.organisation)
    const stored = kind.found(await tx.lock(kind.collection, id), request)
    const { changed, value } = applyUpdate(kind.fields, stored.value, body, update_mask)
    checkEtag(body.etag, stored.value.etag)
    const place = await activeParent(tx, organisation.value, stored.value.parent_group_id)
    requireNodeState(kind, stored.value, [active])
    if (changed.length > 0) {
      const next = { ...value, etag: nextEtag(stored.value.etag), update_time: formatMillis(context.now) }
      await tx.update(kind.collection, id, next, stored.version)
    }
    return { ...effectOn(kind, 'UPDATE', id, scopesOf(place)), changed }
  })
}

/** A state verb of a group or workspace. */
interface ChildVerb extends ChildPath {
  readonly body: ParsedStateChange
}

/** Changes the own state of a group or workspace below an active parent. */
export function changeChild<T extends StoredChild>(
  { functions, operations }: TaxonomyEnvironment,
  { kind, verb }: { readonly kind: ChildKind<T>; readonly verb: Verb },
  request: ChildVerb,
  context: CallContext,
): Promise<Answer<TaxonomyOperation>> {
  const { etag, reason } = request.body
  return operations.mutate(context, request, async tx => {
    const { parent, stored, tree } = await lockChild(tx, kind, request, etag)
    await changeTree(tx, tree)
    const node = { kind, above: scopesOf(parent), stored }
    return changeState(tx, node, verb, { reason, context, iam: functions.iam })
  })
}
