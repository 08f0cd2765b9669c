import type { Collection, Reader } from '../../ports/store.ts'
import type { Scope } from '../../ports/scope.ts'

/** A scope at which a quota counts. */
export type QuotaScope = Scope & { readonly type: 'WORKSPACE' | 'ORGANISATION' }

/** The values of a definition's dimensions, which identify one bucket at a scope. */
export type Dimensions = Readonly<Record<string, string>>

/** A quota: the type of row that is counted, and the default limit (conventions §10). Definitions are built in. */
export interface Definition {
  /** The natural key: `network.vpcs`. */
  readonly id: string
  readonly display_name: string
  readonly description: string
  /** The unit in UCUM. */
  readonly unit: string
  readonly resource_type: string
  readonly scope: QuotaScope['type']
  /** The names of the dimensions, which are columns of the counted rows. */
  readonly dimensions: readonly string[]
  /** The limit of a bucket without a quota limit; -1 means unlimited. */
  readonly default_limit: number
  /**
   * The collection of the counted rows, with a column for the scope, `workspace_id` or `organisation_id`, and a column
   * for each dimension.
   */
  readonly counted: Collection<never>
}

/** Counts the rows of a definition at a scope with these dimensions. */
export const usageOf = (
  reader: Reader,
  { counted }: Pick<Definition, 'counted'>,
  { id, type }: QuotaScope,
  dimensions: Dimensions,
): Promise<number> =>
  reader.count(counted, { [type === 'WORKSPACE' ? 'workspace_id' : 'organisation_id']: id, ...dimensions })
