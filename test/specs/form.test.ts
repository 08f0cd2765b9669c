import { describe, expect, it } from 'vitest'
import {
  answerOf,
  areas,
  asList,
  asNode,
  bodyOf,
  isNode,
  nodeAt,
  nodesOf,
  operationsOf,
  resolve,
  schemasOf,
  specOf,
  specs,
} from './documents.ts'
import type { Node, Operation, Spec, Target } from './documents.ts'

const listParameters = ['page_size', 'page_token', 'filter', 'order_by']
const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
const lowerCamelCase = /^[a-z][A-Za-z0-9]*$/
/** The pattern of texts that begin with a capital letter or a code span and end with a full stop. */
const sentences = /^[A-Z`].*\.$/s

const operations = areas.flatMap(spec => operationsOf(spec).map(each => [spec.area, each.id, each] as const))

describe.each(operations)('%s.%s', (_, id, operation) => {
  const { node, spec } = operation
  const mode = node['x-mode']

  it('has a name, a summary, a description and one of the tags', () => {
    expect(id).toMatch(lowerCamelCase)
    expect(node.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(node.description).toMatch(sentences)
    const tags = asList(spec.root.tags).map(tag => asNode(tag).name)
    expect(asList(node.tags)).toHaveLength(1)
    expect(tags).toContain(asList(node.tags)[0])
  })

  it('lists the reasons that it raises in its description', () => {
    const unsaid = asList(node['x-raises']).filter(
      reason => !String(node.description).includes(`\`${String(reason)}\``),
    )
    expect(unsaid).toEqual([])
  })

  it('responds with 200, and with a Status for every error', () => {
    expect(Object.keys(nodeAt(node, 'responses')).toSorted()).toEqual(['200', '4XX', '5XX'])
    for (const status of ['4XX', '5XX']) {
      const answer = resolve(spec, nodeAt(node, 'responses')[status])
      const schema = nodeAt(answer.node, 'content', 'application/json', 'schema')
      expect(resolve(answer.spec, schema).name).toBe('Status')
    }
    expect(answerOf(operation).name).toBeDefined()
  })

  it('takes the list parameters if it is a list, and a page token if it returns one', () => {
    const isPaged = asList(answerOf(operation).node.required).includes('next_page_token')
    const sent = operation.method === 'POST' ? Object.keys(propertiesOf(bodyOf(operation))) : queryOf(operation)
    expect(sent.includes('page_token')).toBe(isPaged)
    if (node['x-filter'] === undefined) return
    expect(isPaged).toBe(true)
    expect(sent).toEqual(expect.arrayContaining(listParameters))
  })

  it('can be repeated under an idempotency key if it is a mutation', () => {
    const keys = operation.parameters.filter(({ node: { name } }) => name === 'Idempotency-Key')
    expect(keys).toHaveLength(mode === 'data' ? 0 : 1)
  })

  it('takes an etag as precondition if it updates or deletes, and a mask if it updates', () => {
    expect(queryOf(operation).includes('etag')).toBe(operation.method === 'DELETE' && hasEtag(operation))
    expect(queryOf(operation).includes('update_mask')).toBe(operation.method === 'PATCH')
    if (operation.method === 'PATCH') expect(Object.keys(propertiesOf(bodyOf(operation)))).toContain('etag')
  })

  it('refuses unknown members of its body at every depth, and has an example of the body', () => {
    const body = bodyOf(operation)
    if (body === undefined) return expect(['GET', 'DELETE']).toContain(operation.method)
    expect(nodeAt(node, 'requestBody', 'content', 'application/json').example).toBeDefined()
    expect(openObjects(body)).toEqual([])
  })
})

describe.each(specs.map(spec => [spec.file, spec] as const))('%s', (_, spec) => {
  const nodes = [...nodesOf(spec.root)]

  it('is of OpenAPI 3.0.3 and version 0.0.1', () => {
    expect(spec.root.openapi).toBe('3.0.3')
    expect(nodeAt(spec.root, 'info').version).toBe('0.0.1')
  })

  it('describes each schema, property, parameter, header, tag and answer', () => {
    const described = nodes.filter(([pointer]) =>
      /\/(?:schemas|properties|headers)\/[^/]+$|\/parameters\/[^/]+$|^\/tags\/\d+$|\/responses\/[^/]+$|\/requestBody$/.test(
        pointer,
      ),
    )
    expect(described.length).toBeGreaterThan(0)
    const mute = described.filter(
      ([, node]) => !sentences.test(String(node.description ?? descriptionBehind(spec, node))),
    )
    expect(mute.map(([pointer]) => pointer)).toEqual([])
  })

  it('names members and parameters in snake case', () => {
    const members = nodes.flatMap(([, node]) => Object.keys(asNode(node.properties)))
    const parameters = nodes
      .filter(([, node]) => node.in === 'query' || node.in === 'path')
      .map(([, node]) => String(node.name))
    const odd = [...members, ...parameters].filter(name => !snakeCase.test(name) && name !== '@type')
    expect(odd).toEqual([])
  })

  it('gives each integer a format and keeps 64-bit ones exact', () => {
    const integers = nodes.filter(([, node]) => node.type === 'integer')
    const loose = integers.filter(([, { format, maximum }]) =>
      format === 'int64' ? Number(maximum ?? Infinity) > Number.MAX_SAFE_INTEGER : format === undefined,
    )
    expect(loose.map(([pointer]) => pointer)).toEqual([])
  })

  it('refers to the component of a text wherever a text has its form', () => {
    const owned = [...schemasOf(specOf('common')), ...schemasOf(spec)].map(([, schema]) => formOf(schema))
    const repeated = nodes.filter(([pointer, node]) => {
      const form = formOf(node)
      return form !== undefined && owned.includes(form) && !/^\/components\/schemas\/\w+$/.test(pointer)
    })
    expect(repeated.map(([pointer]) => pointer)).toEqual([])
  })

  it('shows an example of each named object', () => {
    const bare = schemasOf(spec).filter(([, schema]) => schema.type === 'object' && schema.example === undefined)
    expect(bare.map(([name]) => name)).toEqual([])
  })

  it('requires only existing members', () => {
    const wrong = nodes.flatMap(([pointer, { required, properties }]) =>
      asList(required)
        .filter(name => !Object.hasOwn(asNode(properties), String(name)))
        .map(name => `${pointer}: ${String(name)}`),
    )
    expect(wrong).toEqual([])
  })
})

describe.each(areas.map(spec => [spec.area, spec] as const))('resources of %s', (area, spec) => {
  const resources = schemasOf(spec).filter(([, schema]) => schema['x-resource'] !== undefined)
  const tags = asList(spec.root.tags).map(tag => String(asNode(tag).name))

  it.each(resources)('%s has the type of a tag, and its plural in snake case', (_, schema) => {
    const { type, plural } = nodeAt(schema, 'x-resource')
    const [service, name = ''] = String(type).split('.')
    expect(service).toBe(area)
    expect(tags).toContain(name)
    expect(plural).toBe(name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
  })

  it('include the members that updates take', () => {
    const bodies = operationsOf(spec)
      .filter(({ method }) => method === 'PATCH')
      .map(operation => bodyOf(operation)?.name)
    expect(resources.map(([name]) => name)).toEqual(expect.arrayContaining(bodies))
  })
})

/** Returns true if the resource that an operation's tag names has an etag; artifacts, tags and grants have none. */
function hasEtag({ spec, node }: Operation): boolean {
  const type = `${spec.area}.${String(asList(node.tags)[0])}`
  const resource = schemasOf(spec).find(([, schema]) => nodeAt(schema, 'x-resource').type === type)
  return resource !== undefined && Object.hasOwn(nodeAt(resource[1], 'properties'), 'etag')
}

function queryOf({ parameters }: Operation): readonly unknown[] {
  return parameters.filter(({ node }) => node.in === 'query').map(({ node }) => node.name)
}

function propertiesOf(schema: Target | undefined): Node {
  return nodeAt(schema?.node ?? {}, 'properties')
}

/** Returns the constraints of a text with a pattern, for comparison; undefined for every other schema. */
function formOf({ format, maxLength, minLength, pattern }: Node): string | undefined {
  return typeof pattern === 'string' ? JSON.stringify({ format, maxLength, minLength, pattern }) : undefined
}

/** Returns the description of a reference's target; undefined for a node without a reference. */
function descriptionBehind(spec: Spec, node: Node): unknown {
  return node.$ref === undefined ? undefined : resolve(spec, node).node.description
}

/**
 * Returns the paths of the objects in a request schema that accept undeclared members. Maps are excluded, because maps
 * are meant to accept any member.
 */
function openObjects({ spec, node, name }: Target, path = name ?? ''): readonly string[] {
  const properties = Object.entries(asNode(node.properties)).filter(([, schema]) => asNode(schema).readOnly !== true)
  const isMap = node.properties === undefined && isNode(node.additionalProperties)
  const own = node.type === 'object' && node.additionalProperties !== false && !isMap ? [path] : []
  const inner = [...properties, ...(node.items === undefined ? [] : [['[]', node.items] as const])]
  return [...own, ...inner.flatMap(([member, schema]) => openObjects(resolve(spec, schema), `${path}.${member}`))]
}

it('the texts that people write for people exclude control characters and bidirectional overrides', () => {
  const names = new Set(['display_name', 'description', 'comment', 'reason', 'city'])
  const found = areas.flatMap(spec =>
    [...nodesOf(spec.root.components)].flatMap(([pointer, { properties }]) =>
      Object.entries(isNode(properties) ? properties : {})
        .filter(([name, property]) => names.has(name) && isNode(property) && property.readOnly !== true)
        .map(([name, property]) => [`${spec.area}${pointer}/${name}`, resolve(spec, property).node] as const),
    ),
  )
  // A text without a maximal length occurs in answers only; an enum has no free texts.
  const written = found.filter(([, { maxLength }]) => maxLength !== undefined)
  expect(written.length).toBeGreaterThan(70)
  for (const [place, { pattern }] of written) expect(pattern, place).toContain(String.raw`\u202e\u2066-\u2069]*$`)
})
