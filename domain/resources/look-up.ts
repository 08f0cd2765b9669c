import { platform, type ScopeOf } from '../ports/access.ts'
import type { Reader } from '../ports/store.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { AnyKind } from './kind.ts'
import type { Scope } from '../ports/scope.ts'

/** The name and labels of a resource, as policies match them, and its scope (iam.md 4.1). */
export interface ResolvedResource {
  /** Empty if the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** Looks a resource of an area up by its type and id; returns undefined if there is none. */
export type Resolve = (reader: Reader, type: string, id: string) => Promise<ResolvedResource | undefined>

/** Looks up resources of these kinds. */
export const resolverOf =
  (kinds: readonly AnyKind[]): Resolve =>
  async (reader, type, id) =>
    isUuid(id) ? kinds.find(each => each.type === type)?.facts(reader, id) : undefined

/** Finds the scope of a call that names a row by its id alone (conventions §12): the scope of the row. */
export const rowScope =
  (kind: AnyKind): ScopeOf =>
  async (reader, { path }) => {
    const id = path.get('id') ?? ''
    return { scope: isUuid(id) ? (await kind.facts(reader, id))?.scope : undefined, told: platform }
  }
