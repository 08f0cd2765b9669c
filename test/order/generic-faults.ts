import { Examples } from '../../generator/conform/example.ts'
import type { Json, Property } from '../../generator/model/types.ts'
import { absentId } from '../areas/members.ts'
import { withBody, withIfMatch, withPath, withQuery, type Aim } from './aim.ts'
import type { Mutation } from './operations.ts'
import type { Fault, Recipe } from './recipe.ts'
import { send } from './send.ts'
import { numberOf, type StepName } from './step.ts'
import { absences, etagPlace, immutablesOf, isCreate } from './steps.ts'

/** The name of a field that no request and no resource has. */
const unknown = 'nothing_of_the_kind'

/** Returns the fault of a step, from the recipe or derived from the document; undefined if neither makes a fault. */
export function faultOf(step: StepName, mutation: Mutation, recipe: Recipe | undefined): Fault | undefined {
  return (
    recipe?.faults?.[step] ?? (isAtDoor(step) ? atDoor[step]?.(mutation) : behindDoor(step, mutation, recipe ?? {}))
  )
}

/** Returns true for the steps that every operation has in common, before its handler is called. */
const isAtDoor = (step: StepName): boolean => numberOf(step) < numberOf('rule')

type Make = (mutation: Mutation) => Fault | undefined

const atDoor: { readonly [Step in StepName]?: Make } = {
  // The path of the operation with a method that no operation has.
  route: () => ({ reason: 'ROUTE_NOT_FOUND', apply: aim => ({ ...aim, method: 'PUT' }) }),
  authentication: () => ({ reason: 'TOKEN_REVOKED', apply: (aim, { gone }) => ({ ...aim, caller: gone }) }),
  replay: () => usedKey,
  // A caller with a revoked token also lacks the permission, and so has both faults.
  authorization: () => ({
    reason: 'IAM_PERMISSION_DENIED',
    apply: (aim, { gone, nobody }) => (aim.caller === gone ? aim : { ...aim, caller: nobody }),
  }),
  engine: () => ({ reason: 'ENGINE_NOT_FOUND', apply: aim => withPath(aim, { engine: 'no-such-engine' }) }),
  form: () => ({
    reason: 'FIELD_INVALID',
    apply: aim => (aim.body ? withBody(aim, { [unknown]: 1 }) : withQuery(aim, { [unknown]: '1' })),
  }),
  mask: () => ({ reason: 'UPDATE_MASK_INVALID', apply: aim => withQuery(aim, { update_mask: unknown }) }),
}

const usedKey: Fault = { reason: 'IDEMPOTENCY_KEY_REUSED', apply: aim => ({ ...aim, hasUsedKey: true }) }

function behindDoor(step: StepName, mutation: Mutation, recipe: Partial<Recipe>): Fault | undefined {
  switch (step) {
    case 'idempotency':
      return usedKey
    case 'immutable':
      return immutableFault(mutation)
    case 'etag':
      return etagFault(mutation)
    case 'workspace':
      return mutation.operation.pathParts.includes('workspace') ? suspended : undefined
    case 'uniqueness':
      return takenFault(mutation)
    default:
      return step.startsWith('existence of ') ? absentFault(step, mutation, recipe) : undefined
  }
}

function absentFault(step: StepName, mutation: Mutation, { absent = {} }: Partial<Recipe>): Fault | undefined {
  const parameter = step.slice('existence of '.length)
  const reason = absences(mutation).get(parameter)
  if (reason === undefined) return undefined
  return { reason, apply: aim => withPath(aim, { [parameter]: absent[parameter] ?? absentId }) }
}

function immutableFault(mutation: Mutation): Fault | undefined {
  const [property] = immutablesOf(mutation)
  if (property === undefined) return undefined
  const value = otherValue(property, mutation)
  return { reason: 'FIELD_IMMUTABLE', apply: aim => withBody(aim, { [property.name]: value }) }
}

/** Returns a value that fits the property and that no resource has; throws if no example fits. */
function otherValue({ name, schema }: Property, { schemas }: Mutation): Json {
  const examples = new Examples(schemas)
  const values = ['another-value', absentId, examples.of(schema, 'update', name)]
  const value = values.find(each => each !== undefined && examples.fits(each, schema, 'update'))
  if (value === undefined) throw new Error(`no value of ${name} is known; let the recipe have the fault`)
  return value
}

const otherEtag = 'of-another-day'

/** Returns the fault of another etag in `If-Match`; undefined for an operation that compares no etag. */
const etagFault = (mutation: Mutation): Fault | undefined =>
  etagPlace(mutation) && { reason: 'ETAG_MISMATCH', apply: aim => withIfMatch(aim, otherEtag) }

/** Returns the fault of another etag in the query or the body; undefined for an operation that compares no etag. */
export function memberEtagFault(mutation: Mutation): Fault | undefined {
  const place = etagPlace(mutation)
  const etag = otherEtag
  const apply = (aim: Aim): Aim => (place === 'query' ? withQuery(aim, { etag }) : withBody(aim, { etag }))
  return place && { reason: 'ETAG_MISMATCH', apply }
}

/** Returns the fault of a tag in `If-Match`; undefined for an operation that compares etags. */
export const strayTagFault = (mutation: Mutation): Fault | undefined =>
  etagPlace(mutation) ? undefined : { reason: 'FIELD_INVALID', apply: aim => withIfMatch(aim, otherEtag) }

const suspended: Fault = {
  reason: 'WORKSPACE_NOT_ACTIVE',
  async apply(aim, world) {
    await world.suspend(aim.path['workspace'] ?? '')
    return aim
  },
}

/** Returns the fault of a create whose resource already exists; undefined if the operation has no such reason. */
function takenFault({ area, operation, rpcs }: Mutation): Fault | undefined {
  const reason = (operation.raises ?? []).find(each => rpcs.get(`${area}.${each}`) === 'ALREADY_EXISTS')
  return isCreate(operation) && reason !== undefined ? madeBefore(reason, operation) : undefined
}

/** Makes the fault that the resource of the call already exists. */
const madeBefore = (reason: string, operation: Mutation['operation']): Fault => ({
  reason,
  async apply(aim, world) {
    const outcome = await send(world, operation, aim)
    if (outcome !== 'OK') throw new Error(`${operation.id} is to be made twice, and the first time answers ${outcome}`)
    return aim
  },
})
