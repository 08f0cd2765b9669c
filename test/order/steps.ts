import { shapeOf, travels } from '../../generator/conform/shape.ts'
import type { Operation, Property } from '../../generator/model/types.ts'
import type { Mutation } from './operations.ts'
import { stepOfReason } from './reasons.ts'
import type { AreaRecipes, Recipe } from './recipe.ts'
import { inOrder, isStep, type StepName } from './step.ts'

/** Returns the steps of conventions §4 that an operation has, by its route, its document and its recipe. */
export function stepsOf(
  mutation: Mutation,
  { reasons = {} }: Pick<AreaRecipes, 'reasons'>,
  recipe?: Recipe,
): readonly StepName[] {
  const { operation } = mutation
  return inOrder([
    'route',
    ...doorSteps(operation),
    'form',
    ...(hasMask(operation) ? (['mask'] as const) : []),
    ...(operation.access?.kind === 'public' ? [] : (['idempotency'] as const)),
    ...pathThings(operation).map(existenceOf),
    ...(immutablesOf(mutation).length > 0 ? (['immutable'] as const) : []),
    ...(etagPlace(mutation) ? (['etag'] as const) : []),
    ...(isGuarded(operation) ? (['workspace'] as const) : []),
    ...reasonSteps(mutation, reasons),
    ...Object.keys(recipe?.faults ?? {}).filter(isStep),
  ])
}

const existenceOf = (parameter: string): StepName => `existence of ${parameter}`

function doorSteps({ access, pathParts }: Operation): readonly StepName[] {
  const engine: readonly StepName[] = pathParts.includes('engine') ? ['engine'] : []
  if (access?.kind === 'public') return engine
  if (access?.kind !== 'permission') return ['authentication', ...engine]
  const isOfRow = access.scope === 'row' || access.scope === 'parent'
  return ['authentication', ...(isOfRow ? (['replay'] as const) : []), 'authorization', ...engine]
}

const hasMask = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'update_mask')

/** Returns the path parameters that name resources, which may be absent. */
export const pathThings = ({ pathParts }: Operation): readonly string[] =>
  pathParts.filter((part, i) => i % 2 === 1 && part !== 'engine' && part !== 'scope_type')

/**
 * Returns the reason of each absent resource in the path, keyed by its parameter: WORKSPACE_NOT_FOUND for the
 * workspace, and the declared NOT_FOUND reasons, in their order, for the other parameters; the last
 * reason is that of further parameters, except for the id of a workspace.
 */
export function absences({ area, operation, rpcs }: Mutation): ReadonlyMap<string, string> {
  const declared = (operation.raises ?? []).filter(reason => rpcs.get(`${area}.${reason}`) === 'NOT_FOUND')
  const things = pathThings(operation).filter(parameter => parameter !== 'workspace')
  const further = (parameter: string) => (parameter === 'id' ? undefined : declared.at(-1)) ?? 'WORKSPACE_NOT_FOUND'
  const named = things.map((parameter, i) => [parameter, declared[i] ?? further(parameter)] as const)
  return new Map([...named, ['workspace', 'WORKSPACE_NOT_FOUND']])
}

/** Returns the steps of an operation's reasons, except those of the resources in its path. */
function reasonSteps(mutation: Mutation, own: Readonly<Record<string, StepName>>): readonly StepName[] {
  const { area, operation, rpcs } = mutation
  const ofPath = new Set(absences(mutation).values())
  return (operation.raises ?? []).flatMap(reason => {
    const said = own[`${operation.id}.${reason}`] ?? own[reason]
    if (said !== undefined) return [said]
    if (ofPath.has(reason)) return []
    const rpc = rpcs.get(reason.includes('.') ? reason : `${area}.${reason}`)
    return (rpc === 'NOT_FOUND' ? 'reference' : stepOfReason(reason, rpc)) ?? []
  })
}

/** The operations that are allowed in an inactive workspace, because they only revoke (conventions §11). */
const alwaysAllowed: ReadonlySet<string> = new Set(['revokeCertificate', 'revokeCertificateAuthority', 'revokeCapsule'])

const isGuarded = ({ id, pathParts }: Operation): boolean => pathParts.includes('workspace') && !alwaysAllowed.has(id)

/** Returns true for a create: a POST to the path of a collection, which ends neither with an id nor with a verb. */
export const isCreate = ({ method, path }: Operation): boolean => method === 'POST' && !/[:}][^/]*$/.test(path)

const members = ({ operation: { body }, schemas }: Mutation): readonly Property[] => {
  const shape = body && shapeOf(body.content.schema, schemas)
  return shape?.kind === 'object' ? shape.properties : []
}

/** Returns the members of an update's body that only a create sets. */
export const immutablesOf = (mutation: Mutation): readonly Property[] =>
  mutation.operation.body?.view === 'update'
    ? members(mutation).filter(property => property.immutable && travels(property, 'update'))
    : []

/** Returns the place where an operation takes the etag; undefined for creates and for operations without an etag. */
export function etagPlace(mutation: Mutation): 'query' | 'body' | undefined {
  const { operation } = mutation
  if (isCreate(operation)) return undefined
  if (operation.parameters.some(parameter => parameter.in === 'query' && parameter.name === 'etag')) return 'query'
  return members(mutation).some(property => property.name === 'etag' && travels(property, 'input')) ? 'body' : undefined
}
