import type { Collection, Reader } from '../../ports/store.ts'
import type { Scope } from '../../ports/scope.ts'

/** A scope at which a quota counts. */
export type QuotaScope = Scope & { readonly type: 'WORKSPACE' | 'ORGANISATION' }

/** The values of a definition's dimensions, which identify one bucket at a scope. */
export type Dimensions = Readonly<Record<string, string>>

/** A quota and its default limit, without the way in which its usage is read (conventions §10). */
export interface DefinitionFacts {
  /** The natural key: `network.vpcs`. */
  readonly id: string
  readonly display_name: string
  readonly description: string
  /** The unit in UCUM. */
  readonly unit: string
  readonly resource_type: string
  readonly scope: QuotaScope['type']
  /** The names of the dimensions, which are columns of counted rows. */
  readonly dimensions: readonly string[]
  /** The limit of a bucket without a quota limit; -1 means unlimited. */
  readonly default_limit: number
}

/** A quota of rows. */
interface CountedDefinition extends DefinitionFacts {
  /**
   * The collection of the counted rows, with a column for the scope, `workspace_id` or `organisation_id`, and a column
   * for each dimension.
   */
  readonly counted: Collection<never>
}

/** A quota of an amount, such as bytes. */
interface MeasuredDefinition extends DefinitionFacts {
  /** Returns the amount in use in one bucket. */
  readonly measure: (reader: Reader, scope: QuotaScope, dimensions: Dimensions) => Promise<number>
}

/** The quota definitions of an area. */
export interface KnownDefinitions<Known extends DefinitionFacts = DefinitionFacts> {
  readonly definitions: readonly Known[]
  /** Returns the definition with this id; undefined if no definition has the id. */
  find(id: string): Known | undefined
}

/** A quota: the resources that it caps, and the default limit (conventions §10). Definitions are built in. */
export type Definition = CountedDefinition | MeasuredDefinition

/** Returns the usage of a definition at a scope with these dimensions: counts its rows, or measures its amount. */
export function usageOf(
  reader: Reader,
  definition: Definition,
  scope: QuotaScope,
  dimensions: Dimensions,
): Promise<number> {
  if ('measure' in definition) return definition.measure(reader, scope, dimensions)
  const column = scope.type === 'WORKSPACE' ? 'workspace_id' : 'organisation_id'
  return reader.count(definition.counted, { [column]: scope.id, ...dimensions })
}
