import type { Access } from '../domain/ports/access.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { Principals } from '../domain/ports/iam.ts'
import type { Inspect } from '../domain/ports/inspection.ts'
import type { Parts } from '../domain/ports/parts.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Store, Transaction } from '../domain/ports/store.ts'
import type { Taxonomy, WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import type { BoundRoute, ErrorDomain } from '../runtime/route.ts'
import type { Faults } from '../runtime/validation.ts'
import { areaRecords, operationsCollection } from './operations/area-records.ts'
import type { Log } from './log.ts'
import { loggedHooks } from './operations/logged-hooks.ts'
import { operationsOf } from './operations/operations.ts'
import type { OperationRecord } from './operations/record.ts'
import type { WorkQueue } from './operations/work-queue.ts'

/** What every area is given to work with. */
export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly access: Access
  readonly principals: Principals
  readonly audit: Audit
  readonly queue: WorkQueue
  readonly taxonomy: Taxonomy
  /** What areas do when something happens to a workspace; each adds its own when it is mounted. */
  readonly hooks: WorkspaceHooks[]
}

/** What the code of one area is given. */
export type AreaParts<Record> = Parts<Record> & {
  /** Those of all areas, known once all are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
}

/** One area as it is declared to the server; `Record` is its operation type. */
export interface AreaDeclaration<Record extends { readonly id: string }> {
  /** Name and error numbers of the area. */
  readonly domain: ErrorDomain
  readonly collections: readonly Collection<never>[]
  /** The fields of `listOperations`, and the generated check of the operation record. */
  readonly operations: {
    readonly list: ListFields
    readonly check: (value: unknown, faults: Faults) => value is Record
  }
  readonly routes: (parts: AreaParts<Record>) => readonly BoundRoute[]
  /** The durable work of the area (conventions §15). */
  readonly procedures?: (parts: AreaParts<Record>) => readonly Procedure<never, never>[]
  /** What the area does when something happens to a workspace (conventions §14). */
  readonly hooks?: (parts: AreaParts<Record>) => WorkspaceHooks
  /** Makes what exists from the first start; runs at every start, so it only adds or mends what is fixed. */
  readonly start?: (tx: Transaction, now: number) => Promise<void>
  /** The checker of the area's rows. */
  readonly inspect?: Inspect
}

/** An area as the server mounts it; the type of its operations is gone. */
export interface AreaModule {
  readonly domain: ErrorDomain
  readonly collections: readonly Collection<never>[]
  /** One of `collections`. */
  readonly operations: Collection<OperationRecord>
  /** The resources that are built, by their names in the area's handlers; absent: all. */
  readonly built?: readonly string[]
  /** Adds the procedures of the area to the queue, and gives its routes. */
  readonly mount: (parts: ServerParts) => readonly BoundRoute[]
  readonly start?: (tx: Transaction, now: number) => Promise<void>
  readonly inspect?: Inspect
}

/** Makes an area ready to be mounted. */
export function area<Record extends { readonly id: string }>(declaration: AreaDeclaration<Record>): AreaModule {
  const { domain, collections, inspect, operations, procedures, routes, start } = declaration
  const records = operationsCollection<OperationRecord>(domain.name, operations.list)
  return {
    domain,
    collections: [...collections, records],
    operations: records,
    mount({ hooks, log, queue, ...shared }) {
      const recorded = operationsOf({ ...shared, queue }, { domain, ...operations })
      const parts = { ...shared, hooks: () => hooks, operations: recorded }
      queue.declare(areaRecords(domain, operations.list), procedures?.(parts) ?? [])
      if (declaration.hooks) hooks.push(loggedHooks(declaration.hooks(parts), log))
      return routes(parts)
    },
    ...(start && { start }),
    ...(inspect && { inspect }),
  }
}
