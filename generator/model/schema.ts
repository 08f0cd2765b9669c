import { fits } from '../read/fits.ts'
import { elements, flag, member, positionOf, text } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import { follow, referenceOf, resolve } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Building, BuildSchema, Standing } from './building.ts'
import { hasOwnShape, intersectionOf, unionOf } from './composition.ts'
import { childrenDiscriminator } from './discriminator.ts'
import { exampleAt } from './example.ts'
import { isJson } from './json.ts'
import { plainSchema } from './plain-schema.ts'
import type { Schema, SchemaBase } from './types.ts'

const itself: Standing = { as: 'itself', type: undefined }

/** Builds the schema at a place. References to named schemas stay references. */
export function schemaOf(building: Building, at: Located, standing: Standing = itself): Schema {
  const base = baseOf(building.loaded, at)
  if (referenceOf(at.value) !== undefined) return referenceSchema(building, at, base, standing)
  const build: BuildSchema = (part, inner) => schemaOf(building, part, inner)
  const type = text(at, 'type') ?? standing.type
  if (!isComposed(at)) return plainSchema(building, at, base, { ...standing, type }, build)
  const parts = elements(member(at, 'allOf')).map(branch => build(branch, { as: 'branch', type }))
  const negated = member(at, 'not')
  // The branches check their type, but a negated schema does not.
  const isTyped = negated !== undefined && text(at, 'type') !== undefined
  if (hasOwnShape(at) || isTyped)
    parts.push(plainSchema(building, at, { position: base.position }, { as: 'branch', type }, build))
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    if (isFilled(own(at.value, keyword))) parts.push(unionOf(building, at, keyword, type, build))
  }
  if (negated) parts.push({ kind: 'not', of: build(negated, { as: 'negated', type }), position: positionOf(negated) })
  return intersectionOf(parts, base)
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const isComposed = (at: Located): boolean =>
  ['allOf', 'oneOf', 'anyOf'].some(keyword => isFilled(own(at.value, keyword))) || own(at.value, 'not') !== undefined

/** Builds the union of the schemas that extend a schema. The discriminator of the schema selects the child. */
export function childrenSchema(building: Building, at: Located, children: readonly Located[]): Schema {
  const { document, loaded, registry } = building
  const of = children.map(child => {
    const target = registry.idOf(child, document)
    return { kind: 'ref', target, position: positionOf(child) } as const
  })
  const discriminator = childrenDiscriminator(building, at, children)
  return { kind: 'union', exactlyOne: true, of, ...(discriminator && { discriminator }), ...baseOf(loaded, at) }
}

function baseOf(loaded: Loaded, at: Located): SchemaBase {
  const description = text(at, 'description')
  const value = defaultOf(loaded, at)
  return {
    ...(description !== undefined && { description }),
    ...(isNullable(at) && { nullable: true as const }),
    ...(flag(at, 'deprecated') && { deprecated: true as const }),
    ...(value !== undefined && isJson(value) && { default: value }),
    ...exampleAt(at),
    position: positionOf(at),
  }
}

/**
 * Whether a schema allows null. Next to an enum, `nullable` alone has no effect: the enum must list null (OpenAPI
 * 3.0.3).
 */
function isNullable(at: Located): boolean {
  const choices = own(at.value, 'enum')
  return Array.isArray(choices) ? choices.includes(null) : flag(at, 'nullable')
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
