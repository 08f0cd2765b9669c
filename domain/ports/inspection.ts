import type { WorkOrder } from './procedures.ts'
import type { Reader } from './store.ts'
import type { Scope } from './scope.ts'

/** A row that contradicts other rows. */
export interface Finding {
  /** The type of the row: `taxonomy.groups`. */
  readonly resourceType: string
  /** The id of the row. */
  readonly id: string
  /** The contradiction and the expected value, for people. */
  readonly message: string
}

/** The input of an area's checker. All reads see one moment. */
export interface Inspection {
  readonly reader: Reader
  /** Returns the unfinished durable work at a scope, of every area and kind. */
  workAt(scope: Scope): Promise<readonly WorkOrder[]>
}

/**
 * Recomputes the values that the rows of an area derive from each other, and yields the contradictions. Yields nothing
 * for a healthy area, whatever work is in progress. Reads in pages; writes nothing.
 */
export type Inspect = (inspection: Inspection) => AsyncGenerator<Finding, void, undefined>
