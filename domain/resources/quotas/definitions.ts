import type { Collection, Reader } from '../../ports/store.ts'
import type { Scope } from '../../ports/scope.ts'

/** The scopes at which quotas count. */
export type QuotaScope = Scope & { readonly type: 'WORKSPACE' | 'ORGANISATION' }

/** The values of the dimensions of a definition: one bucket. */
export type Dimensions = Readonly<Record<string, string>>

/** What is counted and how much of it there may be (conventions §10). Definitions are built in. */
export interface Definition {
  /** Natural key: `network.vpcs`. */
  readonly id: string
  readonly display_name: string
  readonly description: string
  /** UCUM. */
  readonly unit: string
  readonly resource_type: string
  readonly scope: QuotaScope['type']
  /** The names of the dimensions, which are columns of what is counted. */
  readonly dimensions: readonly string[]
  /** -1 is unlimited. */
  readonly default_limit: number
  /**
   * The rows that count. They have a column for the scope, `workspace_id` or `organisation_id`, and one for each
   * dimension.
   */
  readonly counted: Collection<never>
}

/** How much of a definition a scope uses with these dimensions, counted from the rows. */
export const usageOf = (
  reader: Reader,
  { counted }: Pick<Definition, 'counted'>,
  { id, type }: QuotaScope,
  dimensions: Dimensions,
): Promise<number> =>
  reader.count(counted, { [type === 'WORKSPACE' ? 'workspace_id' : 'organisation_id']: id, ...dimensions })
