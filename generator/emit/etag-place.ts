import type { Operation } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'

const name = 'etag'

/**
 * Returns the place of the etag in an operation on one resource: in the body or the query of a mutation, or in the
 * answer of a GET. Returns undefined for an operation without `x-mode`, for a creation, and for an operation on a
 * resource without etag.
 */
export function etagPlaceOf(operation: Operation, emission: Emission): 'body' | 'query' | 'answer' | undefined {
  const { mode, parameters } = operation
  if (mode === 'data') return isRead(operation, emission) ? 'answer' : undefined
  if (mode === undefined) return undefined
  if (parameters.some(parameter => parameter.in === 'query' && parameter.name === name)) return 'query'
  return isCreation(operation) || !hasPrecondition(operation, emission) ? undefined : 'body'
}

/** Whether an operation is a GET whose response always has an etag of its own. */
function isRead({ answer, method, successes }: Operation, emission: Emission): boolean {
  const { content, isTagged } = successes[0] ?? {}
  if (method !== 'GET' || answer !== 'value' || isTagged || content?.kind !== 'json') return false
  const schema = resolved(emission, content.schema)
  if (schema.kind !== 'object') return false
  const etag = schema.properties.find(property => property.name === name)
  return etag !== undefined && !etag.ofContent && (etag.required || etag.access === 'precondition')
}

/** Whether an operation adds a resource to a collection: a POST to a path without verb and parameter at its end. */
const isCreation = ({ method, pathParts }: Operation): boolean =>
  method === 'POST' && pathParts.length % 2 === 1 && !pathParts.at(-1)?.includes(':')

/** Whether the body of an operation may have an etag. */
function hasPrecondition({ body }: Operation, emission: Emission): boolean {
  if (!body || body.isTagged || body.content.kind !== 'json') return false
  const schema = resolved(emission, body.content.schema)
  return (
    schema.kind === 'object' &&
    schema.properties.some(property => property.name === name && property.access !== 'output')
  )
}
