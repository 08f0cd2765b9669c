import { branchesOf } from '../read/branches.ts'
import { flag, member, text, texts } from '../read/located.ts'
import type { Loaded, Located } from '../read/types.ts'
import { present } from './present.ts'
import type { OperationAccess, NamedSchema } from './types.ts'

/**
 * The functions of this module read the extensions of the platform into the model (conventions §22). A document without
 * extensions gets no traits.
 */

const accessKinds = ['permission', 'public', 'own', 'authenticated'] as const

/** Returns the `x-access` of an operation; undefined if the extension is absent or has an unknown kind. */
export function accessOf(operation: Located): OperationAccess | undefined {
  const access = member(operation, 'x-access')
  const kind = accessKinds.find(known => known === text(access, 'kind'))
  if (!access || !kind) return undefined
  const named = texts(access, 'scope_types')
  return {
    kind,
    ...present({
      key: text(access, 'key'),
      class: text(access, 'class'),
      scope: text(access, 'scope'),
      scopeTypes: named.length > 0 ? named : undefined,
      own: flag(access, 'own') || undefined,
      bearerOptional: flag(access, 'bearer_optional') || undefined,
    }),
  }
}

/** Returns the `x-resource` of a schema; undefined if the extension is absent or has no type. */
export function resourceOf(at: Located): NamedSchema['resource'] {
  const resource = member(at, 'x-resource')
  const type = text(resource, 'type')
  return type === undefined ? undefined : { type, plural: text(resource, 'plural') ?? '' }
}

/**
 * Whether a schema or one of its `allOf` branches is an operation record, which has a resource type
 * `<area>.operations`.
 */
export function isOperationRecord(loaded: Loaded, at: Located): boolean {
  for (const branch of branchesOf(loaded, at)) if (resourceOf(branch)?.type.endsWith('.operations')) return true
  return false
}

/** The types of scope at which permissions are granted, widest first (conventions §12). */
const scopeTypes = ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'] as const

/**
 * Returns the scope types of a permission: the `scope_types` of `x-access`, or the types that follow from the scope and
 * the path (conventions §22).
 */
export function scopeTypesOf({ scope, scopeTypes: named }: OperationAccess, path: string): readonly string[] {
  const found = named ?? derivedScopes(scope, path)
  return inOrder(found)
}

/** Returns the distinct known scope types in the order of the catalogue. */
export const inOrder = (types: readonly string[]): readonly string[] => scopeTypes.filter(type => types.includes(type))

function derivedScopes(scope: string | undefined, path: string): readonly string[] {
  if (scope === 'platform') return ['PLATFORM']
  if (scope === 'parent') return ['ORGANISATION', 'GROUP']
  if (scope !== 'path') return []
  if (path.includes('/{scope_type}/{scope_id}')) return ['ORGANISATION', 'GROUP', 'WORKSPACE']
  const innermost = [...path.matchAll(/\/(organisations|groups|workspaces)\/\{/g)].at(-1)?.[1]
  return innermost === undefined ? [] : [innermost.slice(0, -1).toUpperCase()]
}
