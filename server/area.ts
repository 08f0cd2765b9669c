import type { Access } from '../domain/ports/access.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { Principals } from '../domain/ports/iam.ts'
import type { Parts } from '../domain/ports/parts.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Store, Transaction } from '../domain/ports/store.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import type { BoundRoute, ErrorDomain } from '../runtime/route.ts'
import type { Faults } from '../runtime/validation.ts'
import { areaRecords, operationsCollection } from './operations/area-records.ts'
import { operationsOf } from './operations/operations.ts'
import type { WorkQueue } from './operations/work-queue.ts'

/** What every area is given to work with. */
export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  readonly access: Access
  readonly principals: Principals
  readonly audit: Audit
  readonly queue: WorkQueue
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
  readonly routes: (parts: Parts<Record>) => readonly BoundRoute[]
  /** The durable work of the area (conventions §15). */
  readonly procedures?: (parts: Parts<Record>) => readonly Procedure<unknown>[]
  /** Makes what exists from the first start; runs at every start, so it only adds what is not there. */
  readonly start?: (tx: Transaction, now: number) => Promise<void>
}

/** An area as the server mounts it; the type of its operations is gone. */
export interface AreaModule {
  readonly domain: ErrorDomain
  readonly collections: readonly Collection<never>[]
  /** One of `collections`. */
  readonly operations: Collection<{ readonly id: string }>
  /** Adds the procedures of the area to the queue, and gives its routes. */
  readonly mount: (parts: ServerParts) => readonly BoundRoute[]
  readonly start?: (tx: Transaction, now: number) => Promise<void>
}

/** Makes an area ready to be mounted. */
export function area<Record extends { readonly id: string }>(declaration: AreaDeclaration<Record>): AreaModule {
  const { domain, collections, operations, procedures, routes, start } = declaration
  const records = operationsCollection<{ readonly id: string }>(domain.name, operations.list)
  return {
    domain,
    collections: [...collections, records],
    operations: records,
    mount({ queue, ...shared }) {
      const parts = { ...shared, operations: operationsOf({ ...shared, queue }, { domain, ...operations }) }
      queue.declare(areaRecords(domain, operations.list), procedures?.(parts) ?? [])
      return routes(parts)
    },
    ...(start && { start }),
  }
}
