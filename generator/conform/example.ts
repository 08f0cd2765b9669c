import type { Json, Schema, View } from '../model/types.ts'
import { textExample } from './example-text.ts'
import { isJson, isJsonObject, type JsonObject, withMember } from './json.ts'
import { boundsOf, faultsOf } from './judge.ts'
import {
  elementView,
  memberView,
  mustBeSent,
  type ObjectShape,
  type Schemas,
  type Shape,
  shapeOf,
  travels,
} from './shape.ts'

/**
 * The maximal nesting of an example in levels. A schema that requires itself has no example, so the creation stops at
 * this depth.
 */
const maxDepth = 16

/**
 * Creates values that fit a schema: the example or the default of the document if it fits, else a created value with
 * few members. `missing` collects the reasons for absent values.
 */
export class Examples {
  readonly schemas: Schemas
  /** The distinct reasons for missing examples, such as `name: no text is known for the pattern ^(a)\1$`. */
  readonly missing = new Set<string>()

  constructor(schemas: Schemas) {
    this.schemas = schemas
  }

  /**
   * Returns a value of a schema in a view; undefined if no value can be created. `field` is the name of the value in
   * `missing`.
   */
  of(schema: Schema, view: View, field: string, depth = 0): Json | undefined {
    if (depth > maxDepth) return this.#miss(field, 'its schema needs itself')
    const given = this.#given(schema, view)
    if (given !== undefined) return given
    const shape = shapeOf(schema, this.schemas)
    const made = this.#made(shape, view, field, depth)
    if (made === undefined || this.fits(made, schema, view)) return made
    return this.#miss(
      field,
      `${JSON.stringify(made).slice(0, 80)} does not fit: ${this.#firstFault(made, schema, view)}`,
    )
  }

  /** Whether a value fits a schema in a view. */
  fits(value: unknown, schema: Schema, view: View): boolean {
    return faultsOf(value, schema, { schemas: this.schemas, view }).length === 0
  }

  /**
   * Returns `count` values of a schema; undefined if too few values are known. With `areUnique`, the values are
   * different variants; otherwise all values are the same.
   */
  several(schema: Schema, view: View, field: string, count: number, areUnique: boolean): Json[] | undefined {
    const first = this.of(schema, view, field, 1)
    if (first === undefined) return undefined
    if (!areUnique || count < 2) return Array.from({ length: count }, () => first)
    const values = [...this.#variants(shapeOf(schema, this.schemas), view, first, count)]
    const isEnough = values.length === count && values.every(value => this.fits(value, schema, view))
    return isEnough ? values : this.#miss(field, `no ${count} different items are known`)
  }

  /**
   * Returns a copy of a value without the members that do not belong to a view, because the examples of a document
   * often show a complete resource. Members inside unions stay.
   */
  pruned(value: Json, schema: Schema, view: View): Json {
    const shape = shapeOf(schema, this.schemas)
    if (shape.kind === 'array' && Array.isArray(value)) {
      const items: readonly Json[] = value
      return items.map(item => this.pruned(item, shape.items, elementView(view)))
    }
    if (shape.kind !== 'object' || !isJsonObject(value)) return value
    const properties = new Map(shape.properties.map(property => [property.name, property]))
    const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      const property = properties.get(name)
      if (!property) return [[name, member]]
      return travels(property, view) ? [[name, this.pruned(member, property.schema, memberView(property, view))]] : []
    })
    return Object.fromEntries(members)
  }

  #given(schema: Schema, view: View): Json | undefined {
    const own = [schema.example, schema.default].find(value => value !== undefined)
    const inherited = schema.kind === 'ref' ? this.schemas.get(schema.target)?.schema.example : undefined
    for (const value of [own, inherited]) {
      if (value === undefined || !isJson(value)) continue
      const pruned = this.pruned(value, schema, view)
      if (this.fits(pruned, schema, view)) return pruned
    }
    return undefined
  }

  #made(shape: Shape, view: View, field: string, depth: number): Json | undefined {
    switch (shape.kind) {
      case 'string':
        return textExample(shape) ?? this.#miss(field, `no text is known for the pattern ${shape.pattern ?? ''}`)
      case 'number':
        return numberExample(shape) ?? this.#miss(field, 'no number lies within its bounds')
      case 'boolean':
        return true
      case 'enum':
        return shape.values.find(value => value !== shape.unspecified) ?? this.#miss(field, 'its enum is empty')
      case 'array':
        return this.several(
          shape.items,
          elementView(view),
          `${field}[0]`,
          arrayLength(shape),
          shape.uniqueItems === true,
        )
      case 'object':
        return this.#object(shape, view, field, depth)
      case 'union':
        return this.#union(shape, view, field, depth)
      case 'binary':
      case 'any':
        return 'example'
      case 'constant':
        return shape.value
      case 'never':
        return this.#miss(field, 'nothing fits its schema')
    }
  }

  #object(shape: ObjectShape, view: View, field: string, depth: number): JsonObject | undefined {
    const wanted = shape.properties.filter(property => mustBeSent(property, view))
    const spare = shape.properties.filter(property => travels(property, view) && !wanted.includes(property))
    let value: JsonObject = {}
    for (const property of [...wanted, ...spare]) {
      const isNeeded = wanted.includes(property) || Object.keys(value).length < (shape.minProperties ?? 0)
      if (!isNeeded) continue
      const member = this.of(property.schema, memberView(property, view), joined(field, property.name), depth + 1)
      if (member !== undefined) value = withMember(value, property.name, member)
      else if (wanted.includes(property)) return undefined
    }
    return this.#filled(value, shape, view, field)
  }

  /**
   * Adds entries to an object until the object has `minProperties` members; returns undefined if no entry is possible.
   */
  #filled(value: JsonObject, shape: ObjectShape, view: View, field: string): JsonObject | undefined {
    let filled = value
    for (let i = 0; Object.keys(filled).length < (shape.minProperties ?? 0); i += 1) {
      const entry = this.entry(shape, view, field, i)
      if (!entry) return undefined
      filled = withMember(filled, ...entry)
    }
    return filled
  }

  /**
   * Returns the entry with the index `i` among the free members of an object; undefined if the object accepts no free
   * members, or if no name or value is known.
   */
  entry(shape: ObjectShape, view: View, field: string, i: number): readonly [string, Json] | undefined {
    if (shape.additional === false) return this.#miss(field, 'it needs more members than it may have')
    const key =
      shape.keyPattern === undefined
        ? `key${i}`
        : (textExample({ pattern: shape.keyPattern, variant: i }) ??
          this.#miss(field, `no name fits ${shape.keyPattern}`))
    const value =
      typeof shape.additional === 'object' ? this.of(shape.additional, elementView(view), field, 1) : 'example'
    return key === undefined || value === undefined ? undefined : [key, value]
  }

  #union(shape: Extract<Schema, { kind: 'union' }>, view: View, field: string, depth: number): Json | undefined {
    const { discriminator } = shape
    for (const [tag, target] of discriminator?.mapping ?? []) {
      const value = this.of({ kind: 'ref', target, position: shape.position }, view, field, depth + 1)
      const tagged = discriminator && isJsonObject(value) ? withMember(value, discriminator.property, tag) : undefined
      if (tagged !== undefined && this.fits(tagged, shape, view)) return tagged
    }
    for (const branch of discriminator ? [] : shape.of) {
      const value = this.of(branch, view, field, depth + 1)
      if (value !== undefined && this.fits(value, shape, view)) return value
    }
    return this.#miss(field, 'none of its forms has an example that fits it alone')
  }

  *#variants(shape: Shape, view: View, first: Json, count: number): Generator<Json> {
    for (let i = 0; i < count; i += 1) {
      const value = i === 0 ? first : this.#variant(shape, view, first, i)
      if (value === undefined) return
      yield value
    }
  }

  /**
   * Returns the variant of `first` with the index `i`: for an object, a copy with another value of one member. Returns
   * undefined if no variant is known.
   */
  #variant(shape: Shape, view: View, first: Json, i: number): Json | undefined {
    if (shape.kind !== 'object' || !isJsonObject(first)) return variantOf(shape, i)
    for (const property of shape.properties) {
      if (!travels(property, view)) continue
      const value = variantOf(shapeOf(property.schema, this.schemas), i)
      if (value !== undefined) return withMember(first, property.name, value)
    }
    return undefined
  }

  #firstFault(value: Json, schema: Schema, view: View): string {
    const [fault] = faultsOf(value, schema, { schemas: this.schemas, view })
    return fault ? `${fault.field} ${fault.what}`.trim() : ''
  }

  #miss(field: string, why: string): undefined {
    this.missing.add(`${field}: ${why}`)
  }
}

const joined = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`)

/**
 * Returns the length of an example list: at least one item if the schema allows, because an empty list tests nothing.
 */
const arrayLength = ({ minItems, maxItems }: Extract<Schema, { kind: 'array' }>): number =>
  Math.min(Math.max(minItems ?? 0, 1), maxItems ?? Infinity)

function variantOf(shape: Shape, i: number): Json | undefined {
  if (shape.kind === 'enum') return shape.values.filter(value => value !== shape.unspecified)[i]
  if (shape.kind === 'string') return textExample({ ...shape, variant: i })
  const first = shape.kind === 'number' ? numberExample(shape) : undefined
  return first === undefined || shape.kind !== 'number' ? undefined : first + i * (shape.multipleOf ?? 1)
}

function numberExample(shape: Extract<Schema, { kind: 'number' }>): number | undefined {
  const { low, high } = boundsOf(shape)
  const step = shape.multipleOf ?? 1
  const steps = [low, high]
    .filter(Number.isFinite)
    .flatMap(bound => [Math.ceil(bound / step), Math.floor(bound / step)])
  const near = steps.flatMap(count => [count * step, (count + 1) * step, (count - 1) * step])
  const candidates = [1, 0, step, ...near, (low + high) / 2, low, high]
  return candidates.find(value => isWithin(value, shape))
}

function isWithin(value: number, shape: Extract<Schema, { kind: 'number' }>): boolean {
  return Number.isFinite(value) && faultsOf(value, shape, { schemas: new Map(), view: 'input' }).length === 0
}
