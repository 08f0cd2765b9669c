import { choicesOf, isExtended, isNewer, permitsNull, typeOf } from '../read/dialect.ts'
import { fits } from '../read/fits.ts'
import { elements, flag, member, positionOf, text } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import { follow, referenceOf, resolve } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Building, BuildSchema, Standing } from './building.ts'
import { hasOwnShape, intersectionOf, unionOf } from './composition.ts'
import { childrenDiscriminator } from './discriminator.ts'
import { exampleAt } from './example.ts'
import { exactText } from './exact-integers.ts'
import { isJson } from './json.ts'
import { newerParts, unevaluatedParts } from './newer-parts.ts'
import { plainSchema } from './plain-schema.ts'
import type { Schema, SchemaBase } from './types.ts'

const itself: Standing = { as: 'itself', type: undefined }

/** Builds the schema at a place. References to named schemas stay references. */
export function schemaOf(building: Building, at: Located, standing: Standing = itself): Schema {
  if (typeof at.value === 'boolean') return { kind: at.value ? 'any' : 'never', position: positionOf(at) }
  const base = baseOf(building, at)
  const isReference = referenceOf(at.value) !== undefined
  if (isReference && !isExtended(at)) return referenceSchema(building, at, base, standing)
  const build: BuildSchema = (part, inner) => schemaOf(building, part, inner)
  if (isNewer(at)) return newerSchema(building, at, base, standing, build)
  const type = typeOf(at) ?? standing.type
  if (!isComposed(at)) return plainSchema(building, at, base, { ...standing, type }, build)
  const parts = elements(member(at, 'allOf')).map(branch => build(branch, { as: 'branch', type }))
  const negated = member(at, 'not')
  // The branches check their type, but a negated schema does not.
  const isTyped = negated !== undefined && typeOf(at) !== undefined
  if (hasOwnShape(at) || isTyped)
    parts.push(plainSchema(building, at, { position: base.position }, { as: 'branch', type }, build))
  return intersectionOf([...parts, ...unions(building, at, type, build), ...negations(at, type, build)], base)
}

/**
 * Builds a schema of OpenAPI 3.1 as the intersection of its keywords. Null is a type like any other there: it must fit
 * each of the parts.
 */
function newerSchema(
  building: Building,
  at: Located,
  base: SchemaBase,
  standing: Standing,
  build: BuildSchema,
): Schema {
  const type = permitsNull(at) ? undefined : (typeOf(at) ?? standing.type)
  const { position } = base
  const parts = elements(member(at, 'allOf')).map(branch => build(branch, { as: 'branch', type }))
  if (referenceOf(at.value) !== undefined) parts.unshift(referenceSchema(building, at, { position }, inBranch))
  const further = [...unions(building, at, type, build), ...negations(at, type, build), ...newerParts(at, type, build)]
  const isAlone = parts.length === 0 && further.length === 0 && !hasUnevaluated(at)
  const inner = { ...standing, type: typeOf(at) ?? standing.type }
  if (isAlone) return plainSchema(building, at, base, inner, build)
  if (hasOwnShape(at)) parts.push(plainSchema(building, at, { position }, { ...inner, as: 'branch' }, build))
  const together = [...parts, ...further]
  return intersectionOf([...together, ...unevaluatedParts(at, type, together, build)], base)
}

const inBranch: Standing = { as: 'branch', type: undefined }

const hasUnevaluated = (at: Located): boolean =>
  ['unevaluatedProperties', 'unevaluatedItems'].some(name => own(at.value, name) !== undefined)

function unions(building: Building, at: Located, type: string | undefined, build: BuildSchema): readonly Schema[] {
  const found = (['oneOf', 'anyOf'] as const).filter(keyword => isFilled(own(at.value, keyword)))
  return found.map(keyword => unionOf(building, at, keyword, type, build))
}

function negations(at: Located, type: string | undefined, build: BuildSchema): readonly Schema[] {
  const negated = member(at, 'not')
  return negated ? [{ kind: 'not', of: build(negated, { as: 'negated', type }), position: positionOf(negated) }] : []
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const isComposed = (at: Located): boolean =>
  isFilled(own(at.value, 'allOf')) ||
  isFilled(own(at.value, 'oneOf')) ||
  isFilled(own(at.value, 'anyOf')) ||
  own(at.value, 'not') !== undefined

/** Builds the union of the schemas that extend a schema. The discriminator of the schema selects the child. */
export function childrenSchema(building: Building, at: Located, children: readonly Located[]): Schema {
  const { document, registry } = building
  const of = children.map(child => {
    const target = registry.idOf(child, document)
    return { kind: 'ref', target, position: positionOf(child) } as const
  })
  const discriminator = childrenDiscriminator(building, at, children)
  return { kind: 'union', exactlyOne: true, of, ...(discriminator && { discriminator }), ...baseOf(building, at) }
}

function baseOf({ isExact, loaded }: Building, at: Located): SchemaBase {
  const description = text(at, 'description')
  const value = defaultOf(loaded, at)
  const exact = value === undefined || !isExact ? undefined : exactText(member(at, 'default'))
  return {
    ...(description !== undefined && { description }),
    ...(isNullable(at) && { nullable: true as const }),
    ...(flag(at, 'deprecated') && { deprecated: true as const }),
    ...(value !== undefined && isJson(value) && { default: value }),
    ...(exact !== undefined && { exactDefault: exact }),
    ...exampleAt(at),
    position: positionOf(at),
  }
}

/**
 * Whether a schema allows null. Next to an enum, `nullable` alone has no effect: the enum must list null (OpenAPI
 * 3.0.3).
 */
function isNullable(at: Located): boolean {
  // In 3.1, null is one of the types of the schema, which `plainSchema` reads.
  if (isNewer(at)) return false
  return choicesOf(at)?.some(({ value }) => value === null) ?? permitsNull(at)
}

/**
 * Returns the default of a schema or of its reference target. Returns undefined for a default that does not fit,
 * because `check` reports the misfit.
 */
function defaultOf(loaded: Loaded, at: Located): unknown {
  const value = own(at.value, 'default')
  const isReference = referenceOf(at.value) !== undefined
  const found = value === undefined && isReference ? own(follow(loaded, at)?.value, 'default') : value
  return found !== undefined && fits(loaded, at, found) ? found : undefined
}

function referenceSchema(building: Building, at: Located, base: SchemaBase, { as }: Standing): Schema {
  const { loaded, registry, document } = building
  const resolution = resolve(loaded, at.file, referenceOf(at.value) ?? '')
  if (resolution.kind === 'fault') return { kind: 'any', ...base }
  const target = as === 'branch' ? registry.idOfBranch(resolution.at, document) : registry.idOf(resolution.at, document)
  return { kind: 'ref', target, ...base }
}
