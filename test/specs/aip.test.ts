import { describe, expect, it } from 'vitest'
import { answerOf, areas, asNode, bodyOf, nodeAt, operationsOf, recordOf, resolve, schemasOf } from './documents.ts'
import type { Operation, Spec } from './documents.ts'

/**
 * The tests of this file check the rules of google.aip.dev that the platform's conventions adopt: names of collections
 * (AIP-122), standard methods (131 to 135), custom verbs (136), standard fields (148), operations (151) and pages
 * (158).
 */

/** The verbs in kebab case, because the specified interface fixes their form. */
const kebabVerbs = ['part-url']

const standardMethods: Readonly<Record<string, string>> = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  // These standard methods have a name that is more precise.
  set: 'PATCH',
  abort: 'DELETE',
  remove: 'DELETE',
}

/**
 * The standard fields that a resource lacks, keyed by resource; the requirements of these resources list all fields
 * (conventions §2).
 */
const ownFields: Readonly<Record<string, readonly string[]>> = {
  'iam.Avatar': ['id', 'create_time', 'update_time'],
  'iam.UserProfile': ['id', 'create_time', 'update_time'],
  'observability.QuotaLimit': ['etag', 'create_time', 'update_time'],
  'taxonomy.Quota': ['create_time'],
}

/** The names of the times in iam, keyed by the standard names, which differ. */
const aliases: Readonly<Record<string, string>> = { create_time: 'created', update_time: 'updated' }

const all = areas.flatMap(spec => operationsOf(spec).map(each => [spec.area, each.id, each] as const))

describe.each(all)('%s.%s', (_, id, operation) => {
  const { method, node, path, spec } = operation
  const verb = verbOf(path)
  const [kind = ''] = /^[a-z]+/.exec(id) ?? []

  it('has plural collections before its ids (AIP-122)', () => {
    const segments = path.replace(/:[^/]+$/, '').split('/')
    const collections = segments.filter((segment, i) => !segment.startsWith('{') && segments[i + 1]?.startsWith('{'))
    expect(collections.filter(collection => !collection.endsWith('s'))).toEqual([])
  })

  it('has its verb in lower camel case after a colon (AIP-136)', () => {
    if (verb === undefined) return expect(path).not.toContain(':')
    expect(kebabVerbs.includes(verb) || /^[a-z][A-Za-z]*$/.test(verb)).toBe(true)
    expect(['GET', 'POST']).toContain(method)
  })

  it('is called by the method of its kind (AIP-131 to AIP-135)', () => {
    const standard = verb === undefined ? standardMethods[kind] : undefined
    expect(method).toBe(standard ?? (method === 'GET' ? 'GET' : 'POST'))
  })

  it('returns a record of the area exactly if it changes resources (AIP-151)', () => {
    const records = [recordOf(spec), recordOf(spec).replace('Operation', 'CredentialOperation')]
    const isReading = node['x-mode'] === 'data' || id === 'getOperation'
    expect(records.includes(answerOf(operation).name ?? '') && id !== 'getOperation').toBe(!isReading)
  })

  it('has a filter schema and a bounded page if it lists (AIP-158)', () => {
    expect(node['x-filter'] !== undefined).toBe(kind === 'list')
    if (kind !== 'list') return
    const { node: answer, spec: owner } = answerOf(operation)
    const lists = Object.values(asNode(answer.properties))
      .map(schema => resolve(owner, schema).node)
      .filter(schema => schema.type === 'array')
    expect(lists.map(schema => schema.maxItems)).toContain(100)
  })
})

describe.each(areas.map(spec => [spec.area, spec] as const))('resources of %s', (area, spec) => {
  const made = bodiesOf(spec, 'POST').filter(name => nodeAt(schemaOf(spec, name), 'x-resource').type !== undefined)
  const changed = bodiesOf(spec, 'PATCH')

  it.each([...new Set([...made, ...changed])].map(name => [name]))('%s has the standard fields (AIP-148)', name => {
    const members = Object.keys(asNode(schemaOf(spec, name).properties))
    const wanted = changed.includes(name) ? ['id', 'create_time', 'update_time', 'etag'] : ['id', 'create_time']
    const missing = wanted.filter(field => ![field, aliases[field] ?? field].some(each => members.includes(each)))
    expect(missing.filter(field => !ownFields[`${area}.${name}`]?.includes(field))).toEqual([])
  })
})

const verbOf = (path: string): string | undefined => /:([^/{}]+)$/.exec(path)?.[1]

const schemaOf = (spec: Spec, name: string) => asNode(Object.fromEntries(schemasOf(spec))[name])

/** Returns the named schemas of the bodies of a document's operations with this method and without a custom verb. */
function bodiesOf(spec: Spec, method: string): readonly string[] {
  return operationsOf(spec)
    .filter((operation: Operation) => operation.method === method && verbOf(operation.path) === undefined)
    .map(operation => bodyOf(operation)?.name)
    .filter(name => name !== undefined)
}
