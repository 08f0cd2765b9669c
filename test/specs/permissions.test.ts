import { describe, expect, it } from 'vitest'
import { areas, asList, asNode, nodeAt, operationsOf } from './documents.ts'
import type { Node, Spec } from './documents.ts'
import { notSpecifiedYet } from './not-specified-yet.ts'
import { itemsOf, readTable } from './tables.ts'

const table = readTable('permissions', ['key', 'access_class', 'scope_types', 'carried_by'])

/**
 * The members of a declaration of access, keyed by its kind; a question mark means that the member is optional
 * (conventions §22).
 */
const shapes: Readonly<Record<string, readonly string[]>> = {
  permission: ['key', 'class', 'scope', 'scope_types?', 'own?', 'bearer_optional?'],
  public: ['bearer_optional?'],
  own: [],
  authenticated: [],
}

/** A declaration of a permission key. */
interface Declaration {
  readonly key: string
  readonly class: string
  readonly scopeTypes: readonly string[]
  readonly carrier: string
}

describe.each(areas.map(spec => [spec.area, spec] as const))('permissions of %s', (area, spec) => {
  const missing = (notSpecifiedYet[area] ?? []).map(id => `${area}.${id}`)
  const rows = table
    .filter(row => row.key.startsWith(`${area}.`))
    .map(row => ({ ...row, carriers: itemsOf(row.carried_by).filter(id => !missing.includes(id)) }))
    .filter(row => row.carriers.length > 0)
  const declarations = [...declaredByOperations(spec), ...declaredByDocument(spec)]

  it('equal the table in key, class, scope types and operations', () => {
    const found = Map.groupBy(declarations, each => each.key)
    const written = [...found].map(([key, all]) => ({
      key,
      classes: [...new Set(all.map(each => each.class))],
      scopeTypes: [...new Set(all.map(each => each.scopeTypes.join(',')))],
      carriers: all.map(each => each.carrier).toSorted(),
    }))
    const expected = rows.map(row => ({
      key: row.key,
      classes: [row.access_class],
      scopeTypes: [row.scope_types],
      carriers: row.carriers.toSorted(),
    }))
    expect(written.toSorted(byKey)).toEqual(expected.toSorted(byKey))
  })

  it.each(operationsOf(spec).map(({ id, node }) => [id, asNode(node['x-access'])] as const))(
    '%s declares its callers, in the form of its kind',
    (_, { kind, ...members }) => {
      const shape = shapes[String(kind)] ?? []
      expect(Object.keys(shapes)).toContain(kind)
      expect(Object.keys(members)).toEqual(expect.arrayContaining(shape.filter(name => !name.endsWith('?'))))
      expect(shape.map(name => name.replace('?', ''))).toEqual(expect.arrayContaining(Object.keys(members)))
    },
  )
})

function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return one.key < other.key ? -1 : Number(one.key > other.key)
}

function declaredByOperations(spec: Spec): readonly Declaration[] {
  return operationsOf(spec)
    .filter(({ node }) => nodeAt(node, 'x-access').kind === 'permission')
    .map(({ id, path, node }) => {
      const access = nodeAt(node, 'x-access')
      return {
        key: String(access.key),
        class: String(access.class),
        scopeTypes: scopeTypesOf(access, path),
        carrier: `${spec.area}.${id}`,
      }
    })
}

function declaredByDocument(spec: Spec): readonly Declaration[] {
  return asList(spec.root['x-permissions'])
    .map(asNode)
    .map(permission => ({
      key: String(permission.key),
      class: String(permission.class),
      scopeTypes: asList(permission.scope_types).map(String),
      carrier: 'x-permissions',
    }))
}

const scopesInPaths: Readonly<Record<string, string>> = {
  organisations: 'ORGANISATION',
  groups: 'GROUP',
  workspaces: 'WORKSPACE',
}

/** Returns the scopes of a permission: declared, or derived from its scope and the path (conventions §22). */
function scopeTypesOf(access: Node, path: string): readonly string[] {
  if (access.scope === 'platform') return ['PLATFORM']
  if (access.scope === 'parent') return ['ORGANISATION', 'GROUP']
  if (access.scope !== 'path') return asList(access.scope_types).map(String)
  if (path.includes('/{scope_type}/{scope_id}')) return ['ORGANISATION', 'GROUP', 'WORKSPACE']
  const innermost = [...path.matchAll(/\/(organisations|groups|workspaces)\/\{/g)].at(-1)?.[1] ?? ''
  return [scopesInPaths[innermost] ?? `no scope in ${path}`]
}
