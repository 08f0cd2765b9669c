import type { CalledResource } from '../interfaces/decisions.ts'
import type { ResolvedResource } from '../../resources/look-up.ts'
import type { AttributesOfResource } from './condition.ts'

/** Looks a resource up by its type and id, at any scope; returns undefined if no such resource exists. */
export type ResolveResource = (type: string, id: string) => Promise<ResolvedResource | undefined>

/**
 * The resources of a call, innermost first: the named resource, then the resources that contain it. A name or labels
 * that are not yet looked up are undefined.
 */
export type CalledResources = readonly AttributesOfResource[]

/**
 * Returns the resources of a call before any look-up. A resource to create has no id; its name and labels are those of
 * the request.
 */
export function calledResources(resource: CalledResource | undefined): CalledResources {
  if (resource === undefined) return []
  const { above = [], id, labels, name, type } = resource
  const isNew = id === undefined
  const innermost = { type, id, name: name ?? (isNew ? '' : undefined), labels: labels ?? (isNew ? {} : undefined) }
  return [innermost, ...above.flatMap(calledResources)]
}

/**
 * Returns the resources with the unknown names and labels looked up. The name and labels of a resource stay unknown if
 * the look-up fails or finds nothing.
 */
export const lookedUp = (resources: CalledResources, resolve: ResolveResource): Promise<CalledResources> =>
  Promise.all(
    resources.map(async resource => {
      const { id, labels, name } = resource
      if (id === undefined || (name !== undefined && labels !== undefined)) return resource
      const found = await resolve(resource.type, id).catch(() => undefined)
      return found ? { ...resource, name: name ?? found.name, labels: labels ?? found.labels } : resource
    }),
  )

/**
 * Returns the innermost resource with a name, to which conditions refer; undefined if no resource has a name, or if the
 * name of an inner resource is still unknown.
 */
export function innermostNamed(resources: CalledResources): AttributesOfResource | undefined {
  for (const resource of resources) {
    if (resource.name === undefined) return undefined
    if (resource.name !== '') return resource
  }
  return undefined
}
