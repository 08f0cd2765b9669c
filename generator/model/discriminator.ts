import { messages } from '../diagnostics.ts'
import { member, members, positionOf, text } from '../read/located.ts'
import { own, segments } from '../read/pointer.ts'
import { referenceOf, resolve } from '../read/resolve.ts'
import type { Located } from '../read/types.ts'
import type { Building } from './building.ts'
import type { Schema } from './types.ts'

type Discriminator = NonNullable<Extract<Schema, { kind: 'union' }>['discriminator']>

interface Branch {
  readonly id: string
  /** The value of a branch that the mapping does not name: the last part of its reference. */
  readonly implicit: string
}

/**
 * Builds the discriminator of `oneOf` or `anyOf`; undefined without a discriminator. Reports a discriminator with an
 * unnamed branch and returns undefined, because no value could map to the branch.
 */
export function unionDiscriminator(
  building: Building,
  at: Located,
  alternatives: readonly Located[],
): Discriminator | undefined {
  const discriminator = member(at, 'discriminator')
  if (!discriminator) return undefined
  const branches = alternatives.map(branch => branchOf(building, branch.file.file, resolved(building, branch)))
  const named = branches.filter(branch => branch !== undefined)
  if (named.length === branches.length) return mapped(building, discriminator, named)
  building.diagnostics.add(messages.discriminatorInline(), positionOf(discriminator))
  return undefined
}

/** Builds the discriminator of a schema that other schemas extend. */
export function childrenDiscriminator(
  building: Building,
  at: Located,
  children: readonly Located[],
): Discriminator | undefined {
  const discriminator = member(at, 'discriminator')
  const branches = children.map(child => branchOf(building, at.file.file, child)).filter(branch => branch !== undefined)
  return discriminator && mapped(building, discriminator, branches)
}

function resolved({ loaded }: Building, at: Located): Located | undefined {
  const reference = referenceOf(at.value)
  const resolution = reference === undefined ? undefined : resolve(loaded, at.file, reference)
  return resolution?.kind === 'found' ? resolution.at : undefined
}

function branchOf({ registry, document }: Building, from: string, target: Located | undefined): Branch | undefined {
  if (!target) return undefined
  const file = target.file.file === from ? '' : target.file.file
  const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.[a-z]+$/i, '')
  return { id: registry.idOf(target, document), implicit: segments(target.pointer)?.at(-1) ?? stem }
}

function mapped(building: Building, discriminator: Located, branches: readonly Branch[]): Discriminator {
  const rows: (readonly [value: string, target: string])[] = []
  for (const [value, at] of members(member(discriminator, 'mapping'))) {
    const id = targetOf(building, discriminator, at)
    if (branches.some(branch => branch.id === id) && id !== undefined) rows.push([value, id])
    else building.diagnostics.add(messages.discriminatorTarget(String(at.value)), positionOf(at))
  }
  const isMapped = new Set(rows.map(([, id]) => id))
  for (const { id, implicit } of branches) if (!isMapped.has(id)) rows.push([implicit, id])
  return { property: text(discriminator, 'propertyName') ?? '', mapping: rows }
}

/**
 * Resolves the target of a mapping: the bare name of a component, or a reference. Returns undefined for a broken
 * target.
 */
function targetOf({ loaded, registry, document }: Building, from: Located, { value }: Located): string | undefined {
  if (typeof value !== 'string') return undefined
  const components = own(from.file.root, 'components')
  const isComponent = own(own(components, 'schemas'), value) !== undefined
  const pointer = value.replaceAll('~', '~0').replaceAll('/', '~1')
  const resolution = resolve(
    loaded,
    from.file,
    isComponent ? `#/components/schemas/${encodeURIComponent(pointer)}` : value,
  )
  return resolution.kind === 'found' ? registry.idOf(resolution.at, document) : undefined
}
