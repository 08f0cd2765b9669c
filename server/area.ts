import type { Access, AccessScopes } from '../domain/ports/access.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { Principals, TreeChanges } from '../domain/ports/iam.ts'
import type { Inspect } from '../domain/ports/inspection.ts'
import type { Parts } from '../domain/ports/parts.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Store, Transaction } from '../domain/ports/store.ts'
import type { Taxonomy, WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import type { BoundRoute, ErrorDomain } from '../runtime/route.ts'
import type { Faults } from '../runtime/validation.ts'
import { areaRecords, operationsCollection } from './operations/area-records.ts'
import type { IamServices } from './iam/services.ts'
import { settledOperations } from './iam/settled-operations.ts'
import type { Log } from './log.ts'
import { loggedHooks } from './operations/logged-hooks.ts'
import { operationsOf } from './operations/operations.ts'
import type { OperationRecord } from './operations/record.ts'
import { recordScope } from './access/asked-scope.ts'
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
  readonly tree: TreeChanges
  /** What iam works with; absent where another access than its own guards the platform. */
  readonly iam?: IamServices | undefined
  /** What areas do when something happens to a workspace; each adds its own when it is mounted. */
  readonly hooks: WorkspaceHooks[]
}

/** What the code of one area is given. */
export type AreaParts<Record> = Parts<Record> & {
  /** Those of all areas, known once all are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
  /** What iam is told of the tree. */
  readonly tree: TreeChanges
  readonly iam?: IamServices | undefined
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
  /** Where its operations are authorized that do not say so by their paths. */
  readonly scopes?: AccessScopes
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
  /** Where its operations are authorized that do not say so by their paths. */
  readonly scopes: AccessScopes
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
    scopes: { getOperation: recordScope(records), ...declaration.scopes },
    mount({ hooks, log, queue, ...shared }) {
      const recorded = operationsOf({ ...shared, queue }, { domain, ...operations })
      const { iam } = shared
      const operating = iam && domain.name !== 'iam' ? settledOperations(recorded, iam.feed) : recorded
      const parts = { ...shared, hooks: () => hooks, operations: operating }
      queue.declare(areaRecords(domain, operations.list), procedures?.(parts) ?? [])
      if (declaration.hooks) hooks.push(loggedHooks(declaration.hooks(parts), log))
      return routes(parts)
    },
    ...(start && { start }),
    ...(inspect && { inspect }),
  }
}
