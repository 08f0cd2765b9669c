import type { WorkOrder } from './procedures.ts'
import type { Reader } from './store.ts'
import type { Scope } from './scope.ts'
import type { CapacityNeed, Consumer } from './topology.ts'

/** A row that contradicts other rows. */
export interface Finding {
  /** The type of the row, for example `taxonomy.groups`. */
  readonly resourceType: string
  /** The id of the row. */
  readonly id: string
  /** The contradiction and the expected value, as a message for people. */
  readonly message: string
}

/** A logical port, as the area of its machine checks it. */
export interface PortFacts {
  readonly id: string
  /** The id of the machine. */
  readonly vm: string
  readonly ip_address: string
  readonly isUp: boolean
}

/** The capacity that a consumer holds, as the area of the consumer checks it. */
export interface AllocationFacts extends CapacityNeed {
  /** The id of the consumer. */
  readonly consumer: string
  /** The name of the resource pool; empty if there is no such pool. */
  readonly resource_pool: string
}

/** Facts of areas that the checkers of other areas compare with their own rows, keyed by the owning area. */
export interface AreaFacts {
  readonly network: {
    /** Iterates over the ports of a machine; over all ports without its id. */
    ports(reader: Reader, vm?: string): AsyncGenerator<PortFacts, void, undefined>
  }
  readonly taxonomy: {
    /** Iterates over the recorded usages of a quota: the ids of workspaces and their amounts, which may be 0. */
    usages(reader: Reader, quota: string): AsyncGenerator<readonly [workspace: string, amount: number], void, undefined>
  }
  readonly topology: {
    /** Returns the capacity of a consumer; undefined if it holds none. */
    allocation(reader: Reader, consumer: Consumer): Promise<AllocationFacts | undefined>
    /** Iterates over the ids of all consumers of a type. */
    consumers(reader: Reader, type: string): AsyncGenerator<string, void, undefined>
  }
}

/** The input of an area's checker. All reads see one snapshot. */
export interface Inspection {
  readonly reader: Reader
  /** The facts of the mounted areas. */
  readonly facts: Partial<AreaFacts>
  /** Returns the unfinished durable work at a scope, of every area and kind. */
  workAt(scope: Scope): Promise<readonly WorkOrder[]>
}

/**
 * Recomputes the derived values in the rows of an area, and yields the contradictions; yields nothing if all rows are
 * consistent, even during unfinished work. Reads in pages; writes nothing.
 */
export type Inspect = (inspection: Inspection) => AsyncGenerator<Finding, void, undefined>
