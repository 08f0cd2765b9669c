import { isNever, type Schema } from '../../model/types.ts'
import { type CheckContext, type CheckOf, ordinal } from './check-context.ts'
import type { Doc } from '../layout/doc.ts'
import { array } from '../layout/typescript.ts'
import { bounds, type Run } from '../scalar-checks.ts'
import { whole } from '../type-expression.ts'

type ListSchema = Extract<Schema, { kind: 'array' }>

/** Returns the calls that check a list; each call guards the next call. */
export function listChain(schema: ListSchema, run: Run, context: CheckContext, checkOf: CheckOf): readonly Doc[] {
  const chain = [
    ...(schema.prefix
      ? tupleChain(schema, schema.prefix, run, context, checkOf)
      : itemsChain(schema, run, context, checkOf)),
  ]
  if (schema.uniqueItems) chain.push(run('unique'))
  const { contains } = schema
  if (contains && (contains.min > 0 || contains.max !== undefined)) {
    const check = checkOf(contains.of, { ...context, view: whole(context.view), place: `${context.place}Contained` })
    const most = contains.max === undefined ? [] : [String(contains.max)]
    chain.push(run('contains', check, String(contains.min), ...most))
  }
  return chain
}

/** Returns the calls that check a list whose first items have schemas of their own. */
function tupleChain(
  { items, maxItems, minItems = 0 }: ListSchema,
  prefix: readonly Schema[],
  run: Run,
  context: CheckContext,
  checkOf: CheckOf,
): readonly Doc[] {
  const inner = (name: string): CheckContext => ({
    ...context,
    view: whole(context.view),
    place: `${context.place}${name}`,
  })
  const most = isNever(items) ? Math.min(maxItems ?? Infinity, prefix.length) : maxItems
  const limits = bounds(minItems, most)
  const first = array(prefix.map((item, i) => checkOf(item, inner(ordinal(i)))))
  const rest = isNever(items) || items.kind === 'any' ? [] : [checkOf(items, inner('Item'))]
  return [...(limits.length > 0 ? [run('list', '() => true', ...limits)] : []), run('tuple', first, ...rest)]
}

function itemsChain(schema: ListSchema, run: Run, context: CheckContext, checkOf: CheckOf): readonly Doc[] {
  const { minItems = 0, maxItems } = schema
  const check = checkOf(schema.items, { ...context, view: whole(context.view), place: `${context.place}Item` })
  const isArrow = typeof check !== 'string'
  const limits = bounds(minItems, maxItems)
  return [run('list', check, ...(isArrow && limits.length === 0 ? ['0'] : limits))]
}
