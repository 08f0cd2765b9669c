import { elements, member, members, text } from '../read/located.ts'
import { follow } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'

/**
 * Returns the names of the query parameters in which callers may send an API key to an operation, by its `security` or
 * that of its document. Such a parameter is not among the declared parameters, and authentication reads it.
 */
export function queryKeysOf(loaded: Loaded, document: Located, operation: Located): readonly string[] {
  const requirements = member(operation, 'security') ?? member(document, 'security')
  const components = member(document, 'components')
  const schemes = components && member(components, 'securitySchemes')
  const names = elements(requirements).flatMap(each => members(each).map(([name]) => name))
  const keys = names.flatMap(name => {
    const reference = schemes && member(schemes, name)
    const scheme = reference && follow(loaded, reference)
    const isKey = scheme && text(scheme, 'type') === 'apiKey' && text(scheme, 'in') === 'query'
    return isKey ? [text(scheme, 'name') ?? ''] : []
  })
  return [...new Set(keys)].filter(name => name !== '')
}
