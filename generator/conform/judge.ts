import type { Property, Schema, View } from '../model/types.ts'
import { fieldOf } from './field.ts'
import { formatOf } from './formats.ts'
import { canonical, isObject, maxDepth, memberOf } from './json.ts'
import { expressionOf } from '../pattern.ts'
import { elementView, isRequired, memberView, type ObjectShape, type Schemas, travels } from './shape.ts'

/** A fault of a value. `field` is empty if the fault concerns the whole value. */
export interface Fault {
  readonly field: string
  readonly what: string
}

/** The context of a judgement. */
export interface Judging {
  readonly schemas: Schemas
  readonly view: View
  /**
   * Whether timestamps must be UTC with three or nine fraction digits, which is the form of the platform (conventions
   * §1).
   */
  readonly strictTimes?: boolean
}

/** The number of faults after which no further part of a value is judged. */
const maxFaults = 20

/**
 * Returns the faults of a value against its schema. The judge interprets the model and shares no code with the
 * generated validators, because tests compare the judge with the validators. Output is judged as closed: an undeclared
 * member is a fault unless the schema declares free members.
 */
export function faultsOf(value: unknown, schema: Schema, judging: Judging): readonly Fault[] {
  const judge = new Judge(judging)
  judge.value(value, schema, { view: judging.view, path: [], others: none })
  return judge.faults
}

const none: ReadonlySet<string> = new Set()

/** The place of a value. */
interface Place {
  readonly view: View
  readonly path: readonly (string | number)[]
  /** The names of members that a branch of the surrounding intersection, or a discriminator, declares. */
  readonly others: ReadonlySet<string>
}

type Of<Kind extends Schema['kind']> = Extract<Schema, { kind: Kind }>

class Judge {
  readonly faults: Fault[] = []
  readonly #judging: Judging

  constructor(judging: Judging) {
    this.#judging = judging
  }

  value(value: unknown, schema: Schema, place: Place): void {
    if (this.faults.length >= maxFaults) return
    if (place.path.length > maxDepth) return this.#add(place, `is deeper than ${maxDepth} levels`)
    if (value === null && schema.nullable) return
    switch (schema.kind) {
      case 'ref': {
        const target = this.#judging.schemas.get(schema.target)
        return target ? this.value(value, target.schema, place) : this.#add(place, `has no schema ${schema.target}`)
      }
      case 'intersection': {
        const others = new Set([...place.others, ...this.#namesOf(schema)])
        return schema.of.forEach(branch => this.value(value, branch, { ...place, others }))
      }
      case 'union':
        return this.#union(value, schema, place)
      case 'not':
        if (place.view !== 'update' && this.#fits(value, schema.of, place)) this.#add(place, 'has an excluded form')
        return
      case 'conditional': {
        const chosen = this.#fits(value, schema.if, place) ? schema.then : schema.else
        return place.view === 'update' || !chosen ? undefined : this.value(value, chosen, place)
      }
      case 'dependent':
        return isObject(value) && memberOf(value, schema.name) !== undefined
          ? this.value(value, schema.of, place)
          : undefined
      case 'constant':
        return canonical(value) === canonical(schema.value)
          ? undefined
          : this.#add(place, `is not ${shown(schema.value)}`)
      case 'never':
        return this.#add(place, 'must not be there')
      case 'any':
      case 'binary':
      case 'unevaluated':
        return
      default:
        if (hasKind(value, schema)) this.#kind(value, schema, place)
        else if (!schema.implied) this.#add(place, `is ${nameOfKind(value)}, not ${wantedKind(schema)}`)
    }
  }

  #kind(value: unknown, schema: Plain, place: Place): void {
    if (schema.kind === 'string' && typeof value === 'string') this.#text(value, schema, place)
    if (schema.kind === 'number' && typeof value === 'number') this.#number(value, schema, place)
    if (schema.kind === 'enum') this.#enum(value, schema, place)
    if (schema.kind === 'array' && Array.isArray(value)) this.#list(value, schema, place)
    if (schema.kind === 'object' && isObject(value)) this.#object(value, schema, place)
  }

  #text(value: string, schema: Of<'string'>, place: Place): void {
    const length = [...value].length
    if (length < (schema.minLength ?? 0)) this.#add(place, `has ${length} characters, fewer than ${schema.minLength}`)
    if (length > (schema.maxLength ?? Infinity))
      this.#add(place, `has ${length} characters, more than ${schema.maxLength}`)
    if (schema.pattern !== undefined && expressionOf(schema.pattern)?.test(value) === false)
      this.#add(place, `${shown(value)} does not match ${schema.pattern}`)
    const format = formatOf(schema.format)
    if (format && !format.isValid(value)) this.#add(place, `${shown(value)} is no ${schema.format}`)
    else if (this.#judging.strictTimes && schema.format === 'date-time' && !/\.\d{3}(\d{6})?Z$/.test(value))
      this.#add(place, `${shown(value)} is not UTC with three fraction digits`)
  }

  #number(value: number, schema: Of<'number'>, place: Place): void {
    if (schema.integer && !Number.isInteger(value)) this.#add(place, `${value} is no integer`)
    const { low, high } = boundsOf(schema)
    if (value < low || (value === low && schema.exclusiveMinimum)) this.#add(place, `${value} is below ${low}`)
    if (value > high || (value === high && schema.exclusiveMaximum)) this.#add(place, `${value} is above ${high}`)
    if (schema.multipleOf !== undefined && !isMultiple(value, schema.multipleOf))
      this.#add(place, `${value} is no multiple of ${schema.multipleOf}`)
  }

  #enum(value: unknown, { values, unspecified }: Of<'enum'>, place: Place): void {
    if (value === unspecified) this.#add(place, `${shown(value)} stands for no value`)
    else if (!values.some(each => each === value)) this.#add(place, `${shown(value)} is no value of the enum`)
  }

  #list(value: readonly unknown[], schema: Of<'array'>, place: Place): void {
    if (value.length < (schema.minItems ?? 0))
      this.#add(place, `has ${value.length} items, fewer than ${schema.minItems}`)
    if (value.length > (schema.maxItems ?? Infinity))
      this.#add(place, `has ${value.length} items, more than ${schema.maxItems}`)
    if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) this.#add(place, 'repeats an item')
    value.forEach((item, i) => this.value(item, schema.prefix?.[i] ?? schema.items, this.#element(place, i)))
    const { contains } = schema
    const fitting = contains
      ? value.filter((item, i) => this.#fits(item, contains.of, this.#element(place, i))).length
      : 0
    if (contains && (fitting < contains.min || fitting > (contains.max ?? Infinity)))
      this.#add(place, `has ${fitting} items of the form that it must contain`)
  }

  #object(value: Readonly<Record<string, unknown>>, schema: ObjectShape, place: Place): void {
    const named = new Map(schema.properties.map(property => [property.name, property]))
    for (const property of schema.properties) this.#member(memberOf(value, property.name), property, place)
    for (const [name, member] of Object.entries(value)) {
      if (!named.has(name) && !place.others.has(name)) this.#further(name, member, schema, place)
    }
    const count = Object.keys(value).length
    if (count < (schema.minProperties ?? 0))
      this.#add(place, `has ${count} members, fewer than ${schema.minProperties}`)
    if (count > (schema.maxProperties ?? Infinity))
      this.#add(place, `has ${count} members, more than ${schema.maxProperties}`)
  }

  #member(value: unknown, property: Property, place: Place): void {
    const { view } = place
    const inner: Place = { view: memberView(property, view), path: [...place.path, property.name], others: none }
    if (!travels(property, view)) {
      if (value !== undefined && view === 'output') this.#add(inner, 'is input-only and must not be answered')
      return
    }
    if (value !== undefined) this.value(value, property.schema, inner)
    else if (isRequired(property, view)) this.#add(inner, 'is missing')
  }

  #further(name: string, value: unknown, { additional, keyPattern, patterns = [] }: ObjectShape, place: Place): void {
    const inner = this.#element(place, name)
    const matched = patterns.filter(([pattern]) => expressionOf(pattern)?.test(name))
    for (const [, schema] of matched) this.value(value, schema, inner)
    if (matched.length > 0) return
    if (keyPattern !== undefined && expressionOf(keyPattern)?.test(name) === false)
      return this.#add(inner, `has a name that does not match ${keyPattern}`)
    if (typeof additional === 'object') return this.value(value, additional, inner)
    if (additional === 'any' || (additional === 'open' && place.view !== 'output')) return
    this.#add(inner, 'is not declared')
  }

  #union(value: unknown, schema: Of<'union'>, place: Place): void {
    const { discriminator } = schema
    if (discriminator && isObject(value)) {
      const tag = memberOf(value, discriminator.property)
      const [, target] = discriminator.mapping.find(([each]) => each === tag) ?? []
      const others = new Set([...place.others, discriminator.property])
      if (target !== undefined)
        return this.value(value, { kind: 'ref', target, position: schema.position }, { ...place, others })
      return this.#add({ ...place, path: [...place.path, discriminator.property] }, `${shown(tag)} names no form`)
    }
    const fitting = schema.of.filter(branch => this.#fits(value, branch, place)).length
    if (fitting === 0) this.#add(place, `fits none of ${schema.of.length} forms`)
    if (fitting > 1 && schema.exactlyOne) this.#add(place, `fits ${fitting} forms, not exactly one`)
  }

  #fits(value: unknown, branch: Schema, place: Place): boolean {
    const trial = new Judge(this.#judging)
    trial.value(value, branch, place)
    return trial.faults.length === 0
  }

  /** Returns the names of all members that a schema declares, also in its branches and in referenced schemas. */
  #namesOf(schema: Schema, seen = new Set<Schema>()): ReadonlySet<string> {
    if (seen.has(schema)) return none
    seen.add(schema)
    if (schema.kind === 'object') return new Set(schema.properties.map(({ name }) => name))
    if (schema.kind === 'ref') {
      const target = this.#judging.schemas.get(schema.target)
      return target ? this.#namesOf(target.schema, seen) : none
    }
    if (schema.kind !== 'intersection' && schema.kind !== 'union') return none
    const tag = schema.kind === 'union' && schema.discriminator ? [schema.discriminator.property] : []
    return new Set([...tag, ...schema.of.flatMap(branch => [...this.#namesOf(branch, seen)])])
  }

  #element(place: Place, step: string | number): Place {
    return { view: elementView(place.view), path: [...place.path, step], others: none }
  }

  #add({ path }: Place, what: string): void {
    this.faults.push({ field: fieldOf(path), what })
  }
}

type Plain = Extract<Schema, { kind: 'string' | 'number' | 'boolean' | 'enum' | 'array' | 'object' }>

const kinds: Readonly<Record<Plain['kind'], (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number' && Number.isFinite(value),
  boolean: value => typeof value === 'boolean',
  enum: () => true,
  array: value => Array.isArray(value),
  object: isObject,
}

const hasKind = (value: unknown, schema: Plain): boolean => kinds[schema.kind](value)

const wantedKind = (schema: Plain): string => (schema.kind === 'array' ? 'a list' : `a ${schema.kind}`)

function nameOfKind(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80)

/** Returns the bounds of a number. The bounds of the format `int32` count too. */
export function boundsOf({ minimum, maximum, format }: Of<'number'>): { readonly low: number; readonly high: number } {
  const [least, most] = format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [-Infinity, Infinity]
  return { low: Math.max(minimum ?? -Infinity, least), high: Math.min(maximum ?? Infinity, most) }
}

function isMultiple(value: number, step: number): boolean {
  const times = value / step
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))
}
