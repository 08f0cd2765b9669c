import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isRecord } from '../../runtime/validation.ts'
import { bundle } from '../../server/specs/bundle.ts'

/** A call whose body contains secrets in the members that documents declare as secret. */
export interface SecretCall {
  readonly area: string
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** The number of members with the secret. */
  readonly secrets: number
}

const specs = fileURLToPath(new URL('../../specs/', import.meta.url))

/**
 * Returns a call of every operation that takes `writeOnly` or `format: password` members, with `secret` in each of
 * these members.
 */
export function secretCalls(secret: string): readonly SecretCall[] {
  const files = readdirSync(specs).filter(name => name.endsWith('.yaml') && name !== 'common.yaml')
  return files.flatMap(file => secretCallsOf(file.replace('.yaml', ''), bundle(specs + file), secret))
}

function secretCallsOf(area: string, document: object, secret: string): readonly SecretCall[] {
  const found: SecretCall[] = []
  for (const [path, item] of entries(at(document, 'paths'))) {
    for (const [method, operation] of entries(item)) {
      const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema')
      if (schema === undefined) continue
      const sampler = new Sampler(document, secret)
      const body = sampler.sample(schema)
      if (sampler.secrets === 0) continue
      const filled = path.replaceAll(/\{[^}]+\}/g, '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
      const operationId = String(at(operation, 'operationId'))
      found.push({ area, operationId, method: method.toUpperCase(), path: filled, body, secrets: sampler.secrets })
    }
  }
  return found
}

/** Makes values of schemas with all secret members and all required members. */
class Sampler {
  secrets = 0
  readonly #document: object
  readonly #secret: string

  constructor(document: object, secret: string) {
    this.#document = document
    this.#secret = secret
  }

  sample(given: unknown, depth = 0): unknown {
    const schema = this.#resolved(given)
    if (isSecret(schema)) {
      this.secrets += 1
      if (schema['type'] === undefined || schema['type'] === 'string') return this.#secret
    }
    if (Array.isArray(schema['enum'])) return schema['enum'].at(-1)
    const make = makers[String(schema['type'] ?? 'object')]
    if (make !== undefined) return make(schema)
    if (schema['type'] === 'array') return depth > 6 ? [] : [this.sample(schema['items'], depth + 1)]
    return depth > 6 ? {} : this.#object(schema, depth)
  }

  #object(schema: Record<string, unknown>, depth: number): object {
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const members = entries(schema['properties']).filter(([name, member]) => {
      const resolved = this.#resolved(member)
      return (required.includes(name) || this.#holdsSecret(resolved, depth)) && resolved['readOnly'] !== true
    })
    return Object.fromEntries(members.map(([name, member]) => [name, this.sample(member, depth + 1)]))
  }

  #holdsSecret(schema: Record<string, unknown>, depth: number): boolean {
    if (isSecret(schema)) return true
    if (depth > 6) return false
    return [...entries(schema['properties']).map(([, member]) => member), schema['items']].some(
      member => isRecord(member) && this.#holdsSecret(this.#resolved(member), depth + 1),
    )
  }

  #resolved(schema: unknown): Record<string, unknown> {
    if (!isRecord(schema)) return {}
    const reference = schema['$ref']
    if (typeof reference === 'string') {
      const { $ref: _, ...beside } = schema
      return { ...this.#resolved(at(this.#document, ...reference.slice(2).split('/'))), ...beside }
    }
    const parts = schema['allOf']
    if (!Array.isArray(parts)) return schema
    return Object.assign({}, ...parts.map(part => this.#resolved(part)), schema)
  }
}

const isSecret = (schema: Record<string, unknown>): boolean =>
  schema['writeOnly'] === true || schema['format'] === 'password'

const formats: Readonly<Record<string, string>> = {
  uuid: '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  'date-time': '2030-01-01T00:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
}

const makers: Readonly<Record<string, (schema: Record<string, unknown>) => unknown>> = {
  string: ({ format }) => formats[String(format)] ?? 'a-name',
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  boolean: () => true,
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = isRecord(found) ? found[name] : undefined
  return found
}

const entries = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : [])
