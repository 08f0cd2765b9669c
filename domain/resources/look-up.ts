import { platform, type ScopeOf } from '../ports/access.ts'
import type { Reader } from '../ports/store.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { AnyKind } from './kind.ts'
import type { Scope } from '../ports/scope.ts'

/** Name and labels of a resource as policies match them, and where it lives (iam.md 4.1). */
export interface ResolvedResource {
  /** Empty where the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** Looks a resource of an area up by its type and id; undefined when there is none. */
export type Resolve = (reader: Reader, type: string, id: string) => Promise<ResolvedResource | undefined>

/** Looks up resources of these kinds. */
export const resolverOf =
  (kinds: readonly AnyKind[]): Resolve =>
  async (reader, type, id) =>
    isUuid(id) ? kinds.find(each => each.type === type)?.facts(reader, id) : undefined

/** Where a call is authorized that names a row by its id alone (conventions §12): at the scope of the row. */
export const rowScope =
  (kind: AnyKind): ScopeOf =>
  async (reader, { path }) => {
    const id = path.get('id') ?? ''
    return { scope: isUuid(id) ? (await kind.facts(reader, id))?.scope : undefined, told: platform }
  }
