import { platform, type ScopeOf } from '../ports/access.ts'
import type { Reader } from '../ports/store.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { AnyKind } from './kind.ts'
import type { Scope } from '../ports/scope.ts'

/** The name and labels of a resource, as policies match them, and its scope (iam.md 4.1). */
export interface ResolvedResource {
  /** The name; empty if the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** Looks up a resource of an area by its type and id; returns undefined if the resource does not exist. */
export type Resolve = (reader: Reader, type: string, id: string) => Promise<ResolvedResource | undefined>

/** Returns a function that looks up resources of these kinds. */
export const resolverOf =
  (kinds: readonly AnyKind[]): Resolve =>
  async (reader, type, id) =>
    isUuid(id) ? kinds.find(each => each.type === type)?.facts(reader, id) : undefined

/**
 * Returns a function that finds the scope of a call with a row id only (conventions §12): the scope of the row,
 * undefined if the row does not exist.
 */
export const rowScope =
  (kind: AnyKind): ScopeOf =>
  async (reader, { path }) => {
    const id = path.get('id') ?? ''
    return { scope: isUuid(id) ? (await kind.facts(reader, id))?.scope : undefined, told: platform }
  }
