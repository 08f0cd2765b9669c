import type { Json, Property, Schema, View } from '../model/types.ts'
import { keyBreaks, scalarBreaks } from './breaks-of-scalars.ts'
import type { Examples } from './example.ts'
import { isJsonObject, type JsonObject, memberOf, withMember, withoutMember } from './json.ts'
import { elementView, memberView, mustBeSent, type ObjectShape, type Shape, shapeOf, travels } from './shape.ts'
import type { BreakKind } from './break-kind.ts'

/** A value with exactly one broken constraint, and the place of the fault. */
export interface Break {
  readonly kind: BreakKind
  readonly path: readonly (string | number)[]
  /** The broken constraint in words, such as `longer than 128 characters`. */
  readonly what: string
  /** The complete value, including the broken part. */
  readonly value: Json
}

/** Limits of lists and maps from this number on are not tested. */
const maxOverfill = 2_000

/** The name of a member that no document declares. */
const undeclared = 'x_not_declared'

/**
 * Yields values in the order of the schema that each break one constraint and keep the other constraints. An example of
 * a member is broken if `value` lacks the member. A recursive schema is followed once.
 */
export function breaksOf(schema: Schema, view: View, value: Json, examples: Examples): Generator<Break> {
  return new Breaker(examples).of(schema, view, value, new Set())
}

class Breaker {
  readonly #examples: Examples

  constructor(examples: Examples) {
    this.#examples = examples
  }

  *of(schema: Schema, view: View, value: Json, outer: ReadonlySet<string>): Generator<Break> {
    const seen = new Set<string>()
    const shape = shapeOf(schema, this.#examples.schemas, seen)
    if ([...seen].some(name => outer.has(name))) return
    const inside = new Set([...outer, ...seen])
    if (hasType(shape) && !shape.nullable) yield whole('null', 'null', null)
    switch (shape.kind) {
      case 'array':
        return yield* this.#list(shape, view, value, inside)
      case 'object':
        return yield* this.#object(shape, view, value, inside)
      case 'union':
        return yield* this.#union(shape, view, value, inside)
      default:
        for (const { kind, what, value } of scalarBreaks(shape)) yield whole(kind, what, value)
    }
  }

  *#list(
    shape: Extract<Shape, { kind: 'array' }>,
    view: View,
    value: Json,
    outer: ReadonlySet<string>,
  ): Generator<Break> {
    if (!shape.implied) yield whole('type', 'text instead of a list', 'text')
    const { items, maxItems, minItems = 0, uniqueItems = false } = shape
    const inner = elementView(view)
    const least = Math.max(minItems, uniqueItems ? 2 : 1)
    const given: readonly Json[] = Array.isArray(value) ? value : []
    const base =
      given.length >= least ? given : (this.#examples.several(items, inner, '[0]', least, uniqueItems) ?? given)
    if (minItems > 0) yield whole('count', `fewer than ${minItems} items`, base.slice(0, minItems - 1))
    const most = uniqueItems ? this.#differentItems(items) : Infinity
    if (maxItems !== undefined && maxItems < Math.min(maxOverfill, most)) {
      const full = this.#examples.several(items, inner, '[0]', maxItems + 1, uniqueItems)
      if (full) yield whole('count', `more than ${maxItems} items`, full)
    }
    const [first, ...rest] = base
    if (first === undefined) return
    if (uniqueItems && base.length > 1)
      yield { ...whole('count', 'a repeated item', [...base.slice(0, -1), first]), path: [base.length - 1] }
    const tail = uniqueItems || minItems > 1 ? rest : []
    for (const broken of this.of(items, inner, first, outer)) yield within(0, broken, [broken.value, ...tail])
  }

  /**
   * Returns the number of different items that the schema allows; `Infinity` except for enums and booleans. A longer
   * list would contain an item twice.
   */
  #differentItems(items: Schema): number {
    const shape = shapeOf(items, this.#examples.schemas)
    if (shape.kind === 'enum') return shape.values.filter(value => value !== shape.unspecified).length
    return shape.kind === 'boolean' ? 2 : Infinity
  }

  *#object(shape: ObjectShape, view: View, value: Json, outer: ReadonlySet<string>): Generator<Break> {
    if (!shape.implied) {
      yield whole('type', 'text instead of an object', 'text')
      yield whole('type', 'a list instead of an object', [])
    }
    const base = isJsonObject(value) ? value : {}
    for (const property of shape.properties) {
      if (travels(property, view)) yield* this.#member(property, view, base, outer)
    }
    if (typeof shape.additional === 'object' || shape.keyPattern !== undefined)
      yield* this.#entries(shape, view, base, outer)
    yield* this.#sizes(shape, view, base)
    if (shape.additional === false)
      yield within(
        undeclared,
        whole('unknown', 'a member that is not declared', 'x'),
        withMember(base, undeclared, 'x'),
      )
  }

  *#member(property: Property, view: View, base: JsonObject, outer: ReadonlySet<string>): Generator<Break> {
    const { name, schema } = property
    if (mustBeSent(property, view)) {
      const kind = view === 'update' ? 'reset' : 'missing'
      yield within(name, whole(kind, 'missing', null), withoutMember(base, name))
    }
    const inner = memberView(property, view)
    const value = memberOf(base, name) ?? this.#examples.of(schema, inner, name)
    if (value === undefined) return
    for (const broken of this.of(schema, inner, value, outer)) {
      yield within(name, broken, withMember(base, name, broken.value))
    }
  }

  *#entries(shape: ObjectShape, view: View, base: JsonObject, outer: ReadonlySet<string>): Generator<Break> {
    const [key, value] = this.#examples.entry(shape, view, '', 0) ?? []
    if (key === undefined || value === undefined) return
    for (const name of keyBreaks(shape.keyPattern)) {
      yield within(
        name,
        whole('value', `a name that does not match ${shape.keyPattern ?? ''}`, null),
        withMember(base, name, value),
      )
    }
    if (typeof shape.additional !== 'object') return
    for (const broken of this.of(shape.additional, elementView(view), value, outer)) {
      yield within(key, broken, withMember(base, key, broken.value))
    }
  }

  *#sizes(shape: ObjectShape, view: View, base: JsonObject): Generator<Break> {
    const { maxProperties = Infinity, minProperties = 0 } = shape
    const isMap = shape.properties.length === 0
    if (isMap && minProperties > 0)
      yield whole(
        'count',
        `fewer than ${minProperties} members`,
        Object.fromEntries(Object.entries(base).slice(0, minProperties - 1)),
      )
    if (maxProperties >= maxOverfill || shape.additional === false) return
    let full = base
    for (let i = 0; Object.keys(full).length <= maxProperties; i += 1) {
      const entry = this.#examples.entry(shape, view, '', i)
      if (!entry) return
      full = withMember(full, ...entry)
    }
    yield whole('count', `more than ${maxProperties} members`, full)
  }

  *#union(
    shape: Extract<Shape, { kind: 'union' }>,
    view: View,
    value: Json,
    outer: ReadonlySet<string>,
  ): Generator<Break> {
    const { discriminator } = shape
    if (!discriminator) {
      const misfit = [7, 'text', true, [], {}].find(each => !this.#examples.fits(each, shape, view))
      if (misfit !== undefined) yield whole('type', 'a value that fits none of its forms', misfit)
      return
    }
    const { mapping, property } = discriminator
    yield whole('type', 'text instead of an object', 'text')
    const base = isJsonObject(value) ? value : {}
    yield within(
      property,
      whole('value', 'a form that does not exist', null),
      withMember(base, property, 'no such form'),
    )
    yield within(property, whole('missing', 'missing', null), withoutMember(base, property))
    for (const [tag, target] of mapping) {
      const form: Schema = { kind: 'ref', target, position: shape.position }
      const example = this.#examples.of(form, view, property)
      if (!isJsonObject(example)) continue
      for (const broken of this.of(form, view, withMember(example, property, tag), outer)) {
        const isOfForm = broken.path.length > 0 && broken.path[0] !== property && isJsonObject(broken.value)
        if (isOfForm) yield { ...broken, what: `${broken.what} (${tag})` }
      }
    }
  }
}

const hasType = ({ implied, kind }: Shape): boolean =>
  !implied && kind !== 'any' && kind !== 'binary' && kind !== 'never'

const whole = (kind: BreakKind, what: string, value: Json): Break => ({ kind, path: [], what, value })

const within = (step: string | number, inner: Break, value: Json): Break => ({
  ...inner,
  path: [step, ...inner.path],
  value,
})
