import type { CalledResource } from '../interfaces/decisions.ts'
import type { Scope } from '../../ports/scope.ts'
import type { AttributesOfResource } from './condition.ts'

/** A resource that was looked up. The name is empty if it has none. */
export interface ResolvedResource {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The scope of the resource; a node of the tree is its own scope. */
  readonly scope: Scope
}

/** Looks a resource up by its type and id, at any scope; returns undefined if there is none. */
export type ResolveResource = (type: string, id: string) => Promise<ResolvedResource | undefined>

/**
 * The resources of a call, the innermost first: the named resource, then those that contain it. Name and labels are
 * undefined while they are unknown.
 */
export type CalledThings = readonly AttributesOfResource[]

/**
 * Returns the resources as the call names them. A resource to create has no id, and has the name and labels that were
 * sent.
 */
export function calledThings(resource: CalledResource | undefined): CalledThings {
  if (resource === undefined) return []
  const { above = [], id, labels, name, type } = resource
  const isNew = id === undefined
  const thing = { type, id, name: name ?? (isNew ? '' : undefined), labels: labels ?? (isNew ? {} : undefined) }
  return [thing, ...above.flatMap(calledThings)]
}

/** Looks up the unknown names and labels. They stay unknown if a resource is not found or cannot be looked up. */
export const lookedUp = (things: CalledThings, resolve: ResolveResource): Promise<CalledThings> =>
  Promise.all(
    things.map(async thing => {
      const { id, labels, name } = thing
      if (id === undefined || (name !== undefined && labels !== undefined)) return thing
      const found = await resolve(thing.type, id).catch(() => undefined)
      return found ? { ...thing, name: name ?? found.name, labels: labels ?? found.labels } : thing
    }),
  )

/**
 * Returns the innermost resource with a name, to which conditions refer; undefined while it is unknown, or if there is
 * none.
 */
export function innermostNamed(things: CalledThings): AttributesOfResource | undefined {
  for (const thing of things) {
    if (thing.name === undefined) return undefined
    if (thing.name !== '') return thing
  }
  return undefined
}
