import type { Access, AccessScopes } from '../domain/ports/access.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { DataPlane } from '../domain/ports/data-planes.ts'
import type { AreaFunctions, Owner } from '../domain/ports/functions.ts'
import type { Inspect } from '../domain/ports/inspection.ts'
import type { Parts } from '../domain/ports/parts.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Store, Transaction } from '../domain/ports/store.ts'
import type { Taxonomy, WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { Worker } from '../domain/ports/workers.ts'
import type { AnyKind } from '../domain/resources/kind.ts'
import { resolverOf, type Resolve } from '../domain/resources/look-up.ts'
import { kindHooks } from '../domain/resources/workspace-hooks.ts'
import { birthsWorker } from '../domain/taxonomy/births.ts'
import type { AreaTypes, BoundRoute, ErrorDomain, GeneratedArea } from '../runtime/route.ts'
import { recordScope } from './access/asked-scope.ts'
import { nativeEngine, type EngineCheck } from './engines.ts'
import type { FunctionTable, Needs } from './functions.ts'
import type { IamServices } from './iam/services.ts'
import { settledOperations } from './iam/settled-operations.ts'
import type { Log } from './log.ts'
import { areaRecords, operationsCollection } from './operations/area-records.ts'
import { loggedHooks } from './operations/logged-hooks.ts'
import { operationsOf } from './operations/operations.ts'
import type { OperationRecord } from './operations/record.ts'
import type { WorkQueue } from './operations/work-queue.ts'
import type { AreaPlane } from './planes/data-plane.ts'
import type { SettingDeclarations, SettingValues } from './settings/declarations.ts'
import { settingsOf, type SettingsSource } from './settings/values.ts'

/** What every area is given to work with. */
export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly access: Access
  readonly audit: Audit
  readonly queue: WorkQueue
  readonly taxonomy: Taxonomy
  /** Where the values of settings come from. */
  readonly config: SettingsSource
  readonly functions: FunctionTable
  /** What the guard of the platform shares with the area of iam; absent where another access guards the platform. */
  readonly guard?: IamServices | undefined
  /** What areas do when something happens to a workspace; each adds its own when it is mounted. */
  readonly hooks: WorkspaceHooks[]
  /** The data planes of areas; each adds its own when it is mounted. */
  readonly planes: AreaPlane[]
}

/** No settings, where an area declares none. */
type None = Readonly<Record<never, never>>

/** What the code of one area is given. */
export type AreaParts<
  Area extends AreaTypes,
  Required extends Owner = never,
  Optional extends Owner = never,
  Settings extends SettingDeclarations = None,
> = Parts<Area, Required, Optional> & {
  readonly log: Log
  /** The values of the settings that the area declares, by their keys. */
  readonly settings: SettingValues<Settings>
  /** Those of all areas, known once all are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
  readonly guard?: IamServices | undefined
}

/** One area as it is declared to the server; all members but the first two are for areas that need them. */
export interface AreaDeclaration<
  Area extends AreaTypes,
  Handlers,
  Required extends Owner = never,
  Optional extends Owner = never,
  Settings extends SettingDeclarations = None,
> {
  readonly generated: GeneratedArea<Area, Handlers>
  readonly handlers: (parts: AreaParts<Area, Required, Optional, Settings>) => Handlers
  /** The kinds of resources, in the order in which a purge of a workspace deletes them: holders before their targets. */
  readonly kinds?: readonly AnyKind[]
  /** Collections beside those of the kinds. */
  readonly collections?: readonly Collection<never>[]
  /** The settings of the area; each key begins with the name of the area. */
  readonly settings?: Settings
  /** The names that `{engine}` may have in paths (conventions §17); `native` alone by default. */
  readonly engines?: readonly string[]
  /** Whether no cache may keep the answers of the area, which may hold secrets (conventions §1). */
  readonly isSecret?: boolean
  /** Whether the area itself makes its operations wait until every server follows a change of access. */
  readonly settlesItself?: boolean
  /** What is asked of a call at step 4 of conventions §4 beside its engine. */
  readonly admit?: (parts: AreaParts<Area, Required, Optional, Settings>) => NonNullable<EngineCheck['admit']>
  /** The functions of other areas that the area calls. */
  readonly needs?: Needs<Required, Optional>
  /** Functions for other areas that need nothing but the transaction they are called with: they are there first. */
  readonly functions?: Partial<AreaFunctions>
  /** The functions that the area has for others (conventions §14). */
  readonly provides?: (parts: AreaParts<Area, Required, Optional, Settings>) => Partial<AreaFunctions>
  /** Where operations are authorized whose path does not say it, by operationId; a kind's `row` scopes need no entry. */
  readonly scopes?: AccessScopes
  /** Looks up resources that policies match and no kind tells of. */
  readonly resolve?: Resolve
  /** The durable work of the area (conventions §15). */
  readonly procedures?: (parts: AreaParts<Area, Required, Optional, Settings>) => readonly Procedure<never, never>[]
  /** Periodic work; each holds a lease of its name. */
  readonly workers?: (parts: AreaParts<Area, Required, Optional, Settings>) => readonly Worker[]
  /** What the area does when something happens to a workspace, beside what the kinds tell (conventions §14). */
  readonly hooks?: (parts: AreaParts<Area, Required, Optional, Settings>) => Partial<WorkspaceHooks>
  /** What the area serves outside of its document (conventions §18). */
  readonly planes?: (parts: AreaParts<Area, Required, Optional, Settings>) => readonly DataPlane[]
  /** Makes what exists from the first start; runs at every start, so it only adds or mends what is fixed. */
  readonly start?: (tx: Transaction, now: number) => Promise<void>
  /** The checker of the area's rows, beside what is checked of kinds. */
  readonly inspect?: Inspect
}

/** An area as the server mounts it; the type of its operations is gone. */
export interface AreaModule {
  readonly domain: ErrorDomain
  readonly kinds: readonly AnyKind[]
  readonly collections: readonly Collection<never>[]
  readonly settings?: SettingDeclarations
  /** The records, one of `collections`. */
  readonly operations: Collection<OperationRecord>
  /** The resources that are built, by their names in the area's handlers; absent: all. */
  readonly built?: readonly string[]
  readonly engines: readonly string[]
  readonly isSecret: boolean
  readonly functions?: Partial<AreaFunctions>
  /** Where its operations are authorized that do not say so by their paths. */
  readonly scopes: AccessScopes
  readonly resolve: Resolve
  readonly mount: (parts: ServerParts) => MountedArea
  readonly start?: (tx: Transaction, now: number) => Promise<void>
  readonly inspect?: Inspect
}

/** What an area adds to a server. */
export interface MountedArea {
  readonly routes: readonly BoundRoute[]
  readonly workers: readonly Worker[]
  readonly admit?: EngineCheck['admit'] | undefined
}

/** Makes an area ready to be mounted. */
export function area<
  Area extends AreaTypes,
  Handlers,
  Required extends Owner = never,
  Optional extends Owner = never,
  Settings extends SettingDeclarations = None,
>(declaration: AreaDeclaration<Area, Handlers, Required, Optional, Settings>): AreaModule {
  const {
    collections = [],
    engines = [nativeEngine],
    functions,
    inspect,
    isSecret = false,
    kinds = [],
    settings,
    start,
  } = declaration
  const { domain, operations } = declaration.generated
  const records = operationsCollection<OperationRecord>(domain.name, operations.list)
  return {
    domain,
    kinds,
    collections: [...kinds.map(({ collection }) => collection), ...collections, records],
    operations: records,
    engines,
    isSecret,
    scopes: { getOperation: recordScope(records), ...declaration.scopes },
    resolve: resolveBoth(resolverOf(kinds), declaration.resolve),
    mount: parts => mountArea(declaration, parts),
    ...(functions && { functions }),
    ...(settings && { settings }),
    ...(start && { start }),
    ...(inspect && { inspect }),
  }
}

/** Adds functions, procedures and hooks of an area to the server, and answers what is left to be mounted. */
function mountArea<
  Area extends AreaTypes,
  Handlers,
  Required extends Owner,
  Optional extends Owner,
  Settings extends SettingDeclarations,
>(
  declaration: AreaDeclaration<Area, Handlers, Required, Optional, Settings>,
  { config, functions, hooks, log, planes, queue, ...shared }: ServerParts,
): MountedArea {
  const { generated, kinds = [], needs = {}, settings, settlesItself = false } = declaration
  const { domain, operations, routes } = generated
  const recorded = operationsOf<Area>({ ...shared, queue }, { domain, ...operations })
  const { guard } = shared
  const operating = guard && !settlesItself ? settledOperations(recorded, guard.feed) : recorded
  const parts: AreaParts<Area, Required, Optional, Settings> = {
    ...shared,
    log,
    hooks: () => hooks,
    operations: operating,
    functions: functions.of(domain.name, needs),
    // Without a declaration the type is that of no settings.
    settings: settingsOf(config, settings ?? ({} as Settings)),
  }
  functions.provide(declaration.provides?.(parts) ?? {})
  queue.declare(areaRecords(domain, operations.list), declaration.procedures?.(parts) ?? [])
  const own = declaration.hooks?.(parts)
  if (own || kinds.length > 0) hooks.push(loggedHooks(kindHooks(domain.name, kinds, shared, own), log))
  // Workspaces may be older than the area.
  const births = own?.workspaceCreated ? [birthsWorker(domain.name, own.workspaceCreated.bind(own))] : []
  for (const plane of declaration.planes?.(parts) ?? []) planes.push({ ...plane, domain })
  return {
    routes: routes(declaration.handlers(parts)),
    workers: [...(declaration.workers?.(parts) ?? []), ...births],
    admit: declaration.admit?.(parts),
  }
}

const resolveBoth =
  (ofKinds: Resolve, own: Resolve | undefined): Resolve =>
  async (reader, type, id) =>
    (await ofKinds(reader, type, id)) ?? own?.(reader, type, id)
