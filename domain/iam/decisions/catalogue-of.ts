import type { AccessClass, ScopeKind } from '../../../output/iam/types.ts'
import type { Catalogue, CataloguePermission } from '../interfaces/catalogue.ts'

/** An entry of a generated `permissions.ts`. */
export interface GeneratedPermission {
  readonly key: string
  readonly displayName: string
  /** The description; absent if the display name suffices. */
  readonly description?: string
  readonly access: { readonly class: AccessClass; readonly scopeTypes: readonly ScopeKind[] }
  /** The stage; absent for GA. */
  readonly stage?: 'ALPHA'
}

/**
 * The permissions for finding and undoing a policy that locks a workspace. No policy can deny these permissions (iam.md
 * 4.4).
 */
const undeniable: ReadonlySet<string> = new Set([
  'iam.policies.list',
  'iam.policies.get',
  'iam.policies.update',
  'iam.policies.delete',
  'iam.access.list',
  'iam.access.listPermissions',
])

/**
 * Builds the catalogue of the permissions of all areas. `bits` lists every key that exists or existed; the index of a
 * key is its bit. A key that no area declares any more is RETIRED. Throws `TypeError` for a key without a bit.
 */
export function catalogueOf(areas: readonly (readonly GeneratedPermission[])[], bits: readonly string[]): Catalogue {
  const places = new Map(bits.map((key, bit) => [key, bit]))
  const current = areas.flat().map(generated => {
    const bit = places.get(generated.key)
    if (bit === undefined) throw new TypeError(`permission ${generated.key} has no bit; generate the output`)
    return permissionOf(generated, bit)
  })
  const byKey = new Map(current.map(permission => [permission.id, permission]))
  for (const [key, bit] of places) if (!byKey.has(key)) byKey.set(key, retired(key, bit))
  const permissions = [...byKey.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    permissions,
    find: key => byKey.get(key),
    resourceTypes: new Set(current.map(({ resource, service }) => `${service}.${resource}`)),
    matching: pattern => {
      const fits = matcherOf(pattern)
      return permissions.filter(({ id, stage }) => stage !== 'RETIRED' && fits(id))
    },
  }
}

function permissionOf(generated: GeneratedPermission, bit: number): CataloguePermission {
  const { access, description, displayName, key, stage = 'GA' } = generated
  const { class: access_class, scopeTypes } = access
  const named = namedBy(key)
  return {
    ...named,
    display_name: displayName,
    description: description ?? `${displayName}.`,
    access_class,
    scope_types: [...scopeTypes],
    deniable: !undeniable.has(key),
    policy_allowable: named.service !== 'iam' && scopeTypes.includes('WORKSPACE'),
    stage,
    bit,
  }
}

/** Returns the catalogue entry of a retired permission; only its key is still known. */
const retired = (key: string, bit: number): CataloguePermission => ({
  ...namedBy(key),
  display_name: '',
  description: 'Is gone from the platform and grants nothing.',
  access_class: 'READ',
  scope_types: [],
  deniable: false,
  policy_allowable: false,
  stage: 'RETIRED',
  bit,
})

function namedBy(key: string): Pick<CataloguePermission, 'id' | 'name' | 'service' | 'resource' | 'verb'> {
  const [service = '', resource = '', verb = ''] = key.split('.')
  return { id: key, name: key, service, resource, verb }
}

/**
 * Returns a predicate for the keys that match a pattern. A star replaces all parts from its place to the end of the
 * key.
 */
function matcherOf(pattern: string): (key: string) => boolean {
  if (pattern === '*') return () => true
  if (/^[A-Za-z]+(?:\.[A-Za-z]+)?\.\*$/.test(pattern)) return key => key.startsWith(pattern.slice(0, -1))
  return key => key === pattern
}
