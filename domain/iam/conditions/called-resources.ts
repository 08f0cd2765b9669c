import type { CalledResource } from '../interfaces/decisions.ts'
import type { Scope } from '../../ports/scope.ts'
import type { AttributesOfResource } from './condition.ts'

/** A resource that was looked up. The name is empty for resources without a name. */
export interface ResolvedResource {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The scope of the resource; a node of the tree is its own scope. */
  readonly scope: Scope
}

/** Returns the resource with a type and id, at any scope; undefined if the resource does not exist. */
export type ResolveResource = (type: string, id: string) => Promise<ResolvedResource | undefined>

/**
 * The resources of a call, innermost first: the named resource, then the resources that contain it. Name and labels are
 * undefined before the look-up.
 */
export type CalledThings = readonly AttributesOfResource[]

/**
 * Returns the resources of a call before any look-up. A resource to create has no id; its name and labels are those of
 * the request.
 */
export function calledThings(resource: CalledResource | undefined): CalledThings {
  if (resource === undefined) return []
  const { above = [], id, labels, name, type } = resource
  const isNew = id === undefined
  const thing = { type, id, name: name ?? (isNew ? '' : undefined), labels: labels ?? (isNew ? {} : undefined) }
  return [thing, ...above.flatMap(calledThings)]
}

/**
 * Looks up the unknown names and labels. The name and labels of a resource stay unknown if the look-up fails or finds
 * nothing.
 */
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
 * Returns the innermost resource with a name, to which conditions refer; undefined if no resource has a name, or if the
 * name of an inner resource is still unknown.
 */
export function innermostNamed(things: CalledThings): AttributesOfResource | undefined {
  for (const thing of things) {
    if (thing.name === undefined) return undefined
    if (thing.name !== '') return thing
  }
  return undefined
}
