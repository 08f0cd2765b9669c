import type { WorkOrder } from './procedures.ts'
import type { Reader } from './store.ts'
import type { Scope } from './scope.ts'

/** A row that is not what the other rows say it must be. */
export interface Finding {
  /** What the row is of: `taxonomy.groups`. */
  readonly resourceType: string
  /** That of the row. */
  readonly id: string
  /** For people: what is wrong, and what it should be. */
  readonly message: string
}

/** What an area is given to check its rows with. All of it is seen as of one moment. */
export interface Inspection {
  readonly reader: Reader
  /** The durable work that lives at a scope and has not ended, of every area and kind. */
  workAt(scope: Scope): Promise<readonly WorkOrder[]>
}

/**
 * Recomputes what the rows of an area say of each other, and yields where they disagree: nothing while the area is
 * well, whatever is under way. Reads in pages; writes nothing.
 */
export type Inspect = (inspection: Inspection) => AsyncGenerator<Finding, void, undefined>
