import type { CalledResource } from '../interfaces/decisions.ts'
import type { Scope } from '../../ports/scope.ts'
import type { AttributesOfResource } from './condition.ts'

/** A thing that was looked up. One without a name has an empty one. */
export interface ResolvedResource {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Where it lies; a node of the tree at itself. */
  readonly scope: Scope
}

/** Looks a thing up by its type and id, wherever it lies; undefined when there is none. */
export type ResolveResource = (type: string, id: string) => Promise<ResolvedResource | undefined>

/**
 * The things that a call is about, the innermost first: what it names and what that lies in. Name and labels are
 * undefined where they are not known.
 */
export type CalledThings = readonly AttributesOfResource[]

/** The things as the call names them. What is yet to be made has no id, and the name and labels that were sent. */
export function calledThings(resource: CalledResource | undefined): CalledThings {
  if (resource === undefined) return []
  const { above = [], id, labels, name, type } = resource
  const isNew = id === undefined
  const thing = { type, id, name: name ?? (isNew ? '' : undefined), labels: labels ?? (isNew ? {} : undefined) }
  return [thing, ...above.flatMap(calledThings)]
}

/** Looks up what is missing. What is not found, or cannot be looked up, stays unknown. */
export const lookedUp = (things: CalledThings, resolve: ResolveResource): Promise<CalledThings> =>
  Promise.all(
    things.map(async thing => {
      const { id, labels, name } = thing
      if (id === undefined || (name !== undefined && labels !== undefined)) return thing
      const found = await resolve(thing.type, id).catch(() => undefined)
      return found ? { ...thing, name: name ?? found.name, labels: labels ?? found.labels } : thing
    }),
  )

/** The innermost thing that has a name, of which conditions speak; undefined while that is not known, or there is none. */
export function innermostNamed(things: CalledThings): AttributesOfResource | undefined {
  for (const thing of things) {
    if (thing.name === undefined) return undefined
    if (thing.name !== '') return thing
  }
  return undefined
}
