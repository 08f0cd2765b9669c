import type { WorkOrder } from './procedures.ts'
import type { Reader } from './store.ts'
import type { Scope } from './scope.ts'

/** A row that contradicts other rows. */
export interface Finding {
  /** The type of the row, for example `taxonomy.groups`. */
  readonly resourceType: string
  /** The id of the row. */
  readonly id: string
  /** The contradiction and the expected value, as a message for people. */
  readonly message: string
}

/** The input of an area's checker. All reads see one snapshot. */
export interface Inspection {
  readonly reader: Reader
  /** Returns the unfinished durable work at a scope, of every area and kind. */
  workAt(scope: Scope): Promise<readonly WorkOrder[]>
}

/**
 * Recomputes the derived values in the rows of an area, and yields the contradictions; yields nothing if all rows are
 * consistent, even during unfinished work. Reads in pages; writes nothing.
 */
export type Inspect = (inspection: Inspection) => AsyncGenerator<Finding, void, undefined>
