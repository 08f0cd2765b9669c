import type { Authorizer, AccessScopes } from '../domain/ports/access.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { DataPlane } from '../domain/ports/data-planes.ts'
import type { AreaFunctions, FunctionOwner } from '../domain/ports/functions.ts'
import type { AreaFacts, Finding, Inspect, Inspection } from '../domain/ports/inspection.ts'
import type { Parts } from '../domain/ports/area-parts.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Reader, Store, Transaction } from '../domain/ports/store.ts'
import type { Taxonomy, WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { Worker } from '../domain/ports/workers.ts'
import type { AnyKind } from '../domain/resources/kind.ts'
import { resolverOf, type Resolve } from '../domain/resources/look-up.ts'
import { kindHooks } from '../domain/resources/workspace-hooks.ts'
import { birthsWorker } from '../domain/taxonomy/births.ts'
import type { AreaTypes, BoundRoute, GeneratedArea } from '../runtime/route.ts'
import { requireKnownScopes, requireSoundWorkers } from './area-faults.ts'
import { recordScope } from './access/asked-scope.ts'
import { nativeEngine, type EngineCheck } from './engines.ts'
import type { FunctionTable, Needs } from './functions.ts'
import type { IamServices } from './access/iam-services.ts'
import { settledOperations } from './access/settled-operations.ts'
import type { Metric } from './health/metrics.ts'
import type { Log } from './log.ts'
import { areaRecords, operationsCollection } from './operations/area-records.ts'
import { loggedHooks } from './operations/logged-hooks.ts'
import { operationsOf } from './operations/operations.ts'
import type { StoredOperation } from './operations/record.ts'
import type { WorkQueue } from './operations/work-queue.ts'
import type { AreaPlane } from './planes/data-plane.ts'
import type { SettingDeclarations, SettingValues } from './settings/declarations.ts'
import { settingsOf, type SettingsSource } from './settings/values.ts'
import type { ErrorDomain } from '../runtime/errors.ts'

/** The parts that every area gets from the server. */
export interface PlatformServices {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly access: Authorizer
  readonly audit: Audit
  readonly queue: WorkQueue
  readonly taxonomy: Taxonomy
  /** The source of setting values. */
  readonly config: SettingsSource
  readonly functions: FunctionTable
  /** Returns the address of the page for people, without a slash at its end. */
  readonly consoleUrl: () => string
  /** Returns the public address of the platform, without a slash at its end. */
  readonly baseUrl: () => string
  /** The services that the guard of the platform shares with the area of iam; absent with another guard. */
  readonly guard?: IamServices | undefined
  /** The hooks of all areas for events of workspaces; an area adds its own hooks when the area is mounted. */
  readonly hooks: WorkspaceHooks[]
  /** The data planes of areas; an area adds its own planes when the area is mounted. */
  readonly planes: AreaPlane[]
  /** The metrics of areas; an area adds its own metrics when the area is mounted. */
  readonly metrics: Metric[]
  /** The functions that end the background activity of areas, which the server calls before it closes the store. */
  readonly ends: (() => Promise<void>)[]
  /** The data folder if the store lies there; undefined for a store in a database, which servers of many hosts share. */
  readonly dataFolder?: string | undefined
}

/** The files of an area in the data folder of a store that lies there. */
export interface AreaFiles {
  /** Compares the files with the rows; yields nothing if all files are consistent with the rows. */
  readonly inspect: Inspect
  /** Makes the files that the rows of a restored store need, and deletes the files that belong to no row. */
  readonly remake: (reader: Reader, log: Pick<Log, 'warn'>) => Promise<void>
}

/** The settings of an area that declares none. */
type None = Readonly<Record<never, never>>

/** The parts that the code of one area gets. */
export type AreaEnvironment<
  Area extends AreaTypes,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
  Settings extends SettingDeclarations = None,
> = Parts<Area, Required, Optional> & {
  readonly log: Log
  /** The values of the settings that the area declares, keyed by the names of the settings. */
  readonly settings: SettingValues<Settings>
  /** The folder for all data of the server. */
  readonly dataDir: string
  /** Returns the address of the page for people, without a slash at its end. */
  readonly consoleUrl: () => string
  /** Returns the public address of the platform, without a slash at its end. */
  readonly baseUrl: () => string
  /** Returns the hooks of all areas, which are complete once all areas are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
  /** Adds metrics to those of the server. The area calls this function while it is mounted. */
  readonly expose: (metrics: readonly Metric[]) => void
  /**
   * Adds a function that ends background activity of the area: threads, timers, connections. The server calls the
   * function once, before the server closes the store. The area calls `atEnd` while it is mounted.
   */
  readonly atEnd: (end: () => Promise<void>) => void
  readonly guard?: IamServices | undefined
  /** The data folder if the store lies there; undefined for a store in a database, which servers of many hosts share. */
  readonly dataFolder?: string | undefined
}

/** The parts that an area gets for the rows of its first start. */
export interface StartParts<Settings extends SettingDeclarations = None> {
  /** The values of the settings that the area declares, keyed by the names of the settings. */
  readonly settings: SettingValues<Settings>
  readonly newId: () => string
}

/** The parts of the server for the first start of its areas. */
export type Starting = Pick<PlatformServices, 'clock' | 'config'>

/** The declaration of an area for the server. All members except the first two are optional. */
export interface AreaDeclaration<
  Area extends AreaTypes,
  Handlers,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
  Settings extends SettingDeclarations = None,
> {
  readonly generated: GeneratedArea<Area, Handlers>
  readonly handlers: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => Handlers
  /**
   * The kinds of resources, in the order in which a purge of a workspace deletes them: a kind precedes the targets of
   * its references.
   */
  readonly kinds?: readonly AnyKind[]
  /** The collections in addition to the collections of the kinds. */
  readonly collections?: readonly Collection<never>[]
  /** The settings of the area; each key begins with the name of the area. */
  readonly settings?: Settings
  /** The names that `{engine}` may have in paths (conventions §17); `native` alone by default. */
  readonly engines?: readonly string[]
  /** Whether all answers of the area say `Cache-Control: no-store`, because they may hold secrets (conventions §1). */
  readonly isSecret?: boolean
  /** Whether the area itself delays its answers until every server has applied a change of access. */
  readonly settlesItself?: boolean
  /** Returns a check at step 4 of conventions §4, in addition to the check of the engine. */
  readonly admit?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => NonNullable<EngineCheck['admit']>
  /** The functions of other areas that the area calls. */
  readonly needs?: Needs<Required, Optional>
  /**
   * The functions for other areas that need only the transaction of their caller; these functions are available before
   * any area is mounted.
   */
  readonly functions?: Partial<AreaFunctions>
  /** Returns the functions that the area has for other areas (conventions §14). */
  readonly provides?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => Partial<AreaFunctions>
  /**
   * The scope finders of operations whose path does not name the scope, keyed by operationId. Operations with the `row`
   * scope of a kind need no entry.
   */
  readonly scopes?: AccessScopes
  /** Looks up the resources that no kind covers, so that policies can match these resources. */
  readonly resolve?: Resolve
  /** Returns the procedures of the area's durable work (conventions §15). */
  readonly procedures?: (
    parts: AreaEnvironment<Area, Required, Optional, Settings>,
  ) => readonly Procedure<never, never>[]
  /** Returns the periodic workers; each worker holds a lease of its name. */
  readonly workers?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => readonly Worker[]
  /**
   * Returns the hooks for events of workspaces, in addition to the hooks that follow from the kinds (conventions §14).
   */
  readonly hooks?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => Partial<WorkspaceHooks>
  /** Returns the data planes: routes outside of the document (conventions §18). */
  readonly planes?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => readonly DataPlane[]
  /**
   * Creates the rows of the first start. `start` runs at every start, so it must only add rows or restore fixed values.
   */
  readonly start?: (tx: Transaction, now: number, parts: StartParts<Settings>) => Promise<void>
  /**
   * Opens the resources of the area that a server holds in memory, such as keys. Runs at every start, after all areas
   * are mounted and before the server listens.
   */
  readonly open?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => Promise<OpenedArea>
  /** The checker of the area's rows, in addition to the checks of kinds. */
  readonly inspect?: Inspect
  /**
   * The checker of the area's files and processes on this host, which compares them with the rows. `dataDir` is the
   * folder for all data of the server.
   */
  readonly inspectHost?: InspectHost
  /** The facts of the area for the checkers of other areas. */
  readonly facts?: Partial<AreaFacts>
  /**
   * Returns the files of the area in a data folder. The doctor calls `files` before its snapshot of the store, so
   * `files` may read the files for a comparison with their later state.
   */
  readonly files?: (dataDir: string) => AreaFiles
}

/** Yields the contradictions between the rows of an area and its files and processes on this host; changes nothing. */
export type InspectHost = (inspection: Inspection, dataDir: string) => AsyncGenerator<Finding, void, undefined>

/** The opened resources of an area; see `AreaDeclaration.open`. */
export interface OpenedArea {
  /** The lines for the person who starts the server, such as a missing key and its remedy. */
  readonly notices: readonly string[]
  /** Returns the reason for which the area serves only some calls, for `/readyz`; undefined if it serves all calls. */
  readonly degradation: () => string | undefined
  /** Closes the resources; all calls and workers have ended. */
  readonly close: () => void
}

/** An area as the server mounts it, without the type of its operations. */
export interface AreaModule {
  readonly domain: ErrorDomain
  readonly kinds: readonly AnyKind[]
  readonly collections: readonly Collection<never>[]
  readonly settings?: SettingDeclarations
  /** The collection of the operation records, one of `collections`. */
  readonly operations: Collection<StoredOperation>
  /** The built resources, by their names in the area's handlers; absent: all. */
  readonly built?: readonly string[]
  readonly engines: readonly string[]
  readonly isSecret: boolean
  readonly functions?: Partial<AreaFunctions>
  /** The scope finders of operations whose path does not name the scope, keyed by operationId. */
  readonly scopes: AccessScopes
  readonly resolve: Resolve
  readonly mount: (parts: PlatformServices) => MountedArea
  readonly start?: (tx: Transaction, starting: Starting) => Promise<void>
  readonly inspect?: Inspect
  readonly inspectHost?: InspectHost
  readonly facts?: Partial<AreaFacts>
  readonly files?: (dataDir: string) => AreaFiles
}

/** The routes, the workers and the check of calls of a mounted area. */
export interface MountedArea {
  readonly routes: readonly BoundRoute[]
  readonly workers: readonly Worker[]
  readonly admit?: EngineCheck['admit'] | undefined
  readonly open?: (() => Promise<OpenedArea>) | undefined
}

/** Returns the area of a declaration. */
export function area<
  Area extends AreaTypes,
  Handlers,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
  Settings extends SettingDeclarations = None,
>(declaration: AreaDeclaration<Area, Handlers, Required, Optional, Settings>): AreaModule {
  const {
    collections = [],
    engines = [nativeEngine],
    facts,
    files,
    functions,
    inspect,
    inspectHost,
    isSecret = false,
    kinds = [],
    settings,
    start,
  } = declaration
  const { domain, operations } = declaration.generated
  const records = operationsCollection<StoredOperation>(domain.name, operations.list)
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
    ...(start && {
      start: (tx: Transaction, { clock, config }: Starting) =>
        // Without a declaration, `Settings` is the type of no settings.
        start(tx, clock.now(), { settings: settingsOf(config, settings ?? ({} as Settings)), newId: clock.newId }),
    }),
    ...(inspect && { inspect }),
    ...(inspectHost && { inspectHost }),
    ...(facts && { facts }),
    ...(files && { files }),
  }
}

/**
 * Adds the functions, procedures, hooks and planes of an area to the server, and returns its routes, its workers and
 * its check of calls.
 */
function mountArea<
  Area extends AreaTypes,
  Handlers,
  Required extends FunctionOwner,
  Optional extends FunctionOwner,
  Settings extends SettingDeclarations,
>(
  declaration: AreaDeclaration<Area, Handlers, Required, Optional, Settings>,
  { config, ends, functions, hooks, log, metrics, planes, queue, ...shared }: PlatformServices,
): MountedArea {
  const { generated, kinds = [], needs = {}, settings, settlesItself = false } = declaration
  const { domain, operations, routes } = generated
  const recorded = operationsOf<Area>({ ...shared, queue }, { domain, ...operations })
  const { guard } = shared
  const operating = guard && !settlesItself ? settledOperations(recorded, guard.feed) : recorded
  const parts: AreaEnvironment<Area, Required, Optional, Settings> = {
    ...shared,
    log,
    dataDir: config.dataDir,
    hooks: () => hooks,
    expose: own => void metrics.push(...own),
    atEnd: end => void ends.push(end),
    operations: operating,
    functions: functions.of(domain.name, needs),
    // Without a declaration, `Settings` is the type of no settings.
    settings: settingsOf(config, settings ?? ({} as Settings)),
  }
  functions.provide(domain.name, declaration.provides?.(parts) ?? {})
  queue.declare(areaRecords(domain, operations.list), declaration.procedures?.(parts) ?? [])
  const own = declaration.hooks?.(parts)
  if (own || kinds.length > 0) hooks.push(loggedHooks(kindHooks(domain.name, kinds, shared, own), log))
  // A worker calls the hook for workspaces that are older than the area.
  const births = own?.workspaceCreated ? [birthsWorker(domain.name, own.workspaceCreated.bind(own))] : []
  for (const plane of declaration.planes?.(parts) ?? []) planes.push({ ...plane, domain })
  const bound = routes(declaration.handlers(parts))
  requireKnownScopes(domain.name, Object.keys(declaration.scopes ?? {}), bound)
  const workers = [...(declaration.workers?.(parts) ?? []), ...births]
  requireSoundWorkers(domain.name, workers)
  const { open } = declaration
  return { routes: bound, workers, admit: declaration.admit?.(parts), ...(open && { open: () => open(parts) }) }
}

const resolveBoth =
  (ofKinds: Resolve, own: Resolve | undefined): Resolve =>
  async (reader, type, id) =>
    (await ofKinds(reader, type, id)) ?? own?.(reader, type, id)
