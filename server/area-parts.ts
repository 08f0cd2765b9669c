import type { Authorizer } from '../domain/ports/access.ts'
import type { Parts } from '../domain/ports/area-parts.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { FunctionOwner } from '../domain/ports/functions.ts'
import type { Processes } from '../domain/ports/processes.ts'
import type { Store } from '../domain/ports/store.ts'
import type { Taxonomy, WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { Resolve } from '../domain/resources/look-up.ts'
import type { PageTokens } from '../runtime/page-token.ts'
import type { LogEntry } from '../runtime/outcome.ts'
import type { AreaTypes } from '../runtime/route.ts'
import type { IamServices } from './access/iam-services.ts'
import type { FunctionTable } from './functions.ts'
import type { Metric } from './health/metrics.ts'
import type { Log } from './log.ts'
import type { WorkQueue } from './operations/work-queue.ts'
import type { AreaPlane } from './planes/data-plane.ts'
import type { SettingDeclarations, SettingValues } from './settings/declarations.ts'
import type { SettingsSource } from './settings/values.ts'

/** The parts that every area gets from the server. */
export interface PlatformServices {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly access: Authorizer
  readonly audit: Audit
  readonly queue: WorkQueue
  readonly taxonomy: Taxonomy
  /** The processes that work on the store. */
  readonly processes: Processes
  /** The source of setting values. */
  readonly config: SettingsSource
  readonly functions: FunctionTable
  /** Returns the address of the page for people, without a slash at its end. */
  readonly consoleUrl: () => string
  /** Returns the public address of the platform, without a slash at its end. */
  readonly baseUrl: () => string
  /** The signer of page tokens, for calls that answer pages and are no lists. */
  readonly pageTokens: PageTokens
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
  /** The services that the guard of the platform shares with the area of iam; absent with another guard. */
  readonly guard?: IamServices | undefined
  /** The hooks of all areas for events of workspaces; an area adds its own hooks when the area is mounted. */
  readonly hooks: WorkspaceHooks[]
  /** The data planes of areas; an area adds its own planes when the area is mounted. */
  readonly planes: AreaPlane[]
  /** The metrics of areas; an area adds its own metrics when the area is mounted. */
  readonly metrics: Metric[]
  /** Returns all metrics of this server, whose values have just been read, once all areas are mounted. */
  readonly serverMetrics: () => Promise<readonly Metric[]>
  /** Functions of areas that get each answered call; an area adds its own functions when the area is mounted. */
  readonly callWatchers: ((entry: LogEntry) => void)[]
  /** The functions that end the background activity of areas, which the server calls before it closes the store. */
  readonly ends: (() => Promise<void>)[]
  /** The data folder if the store lies there; undefined for a store in a database, which servers of many hosts share. */
  readonly dataFolder?: string | undefined
  /** The URL of the database of the store, for an area that opens a connection of its own; undefined for a file. */
  readonly storeUrl?: string | undefined
}

/** The settings of an area that declares none. */
export type None = Readonly<Record<never, never>>

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
  /** Returns all metrics of this server, whose values have just been read, once all areas are mounted. */
  readonly serverMetrics: () => Promise<readonly Metric[]>
  /**
   * Adds a function that gets the log entry of each answered call of any area. The function is fast and never throws.
   * The area calls `watchCalls` while it is mounted.
   */
  readonly watchCalls: (watcher: (entry: LogEntry) => void) => void
  /**
   * Adds a function that ends background activity of the area: threads, timers, connections. The server calls the
   * function once, before the server closes the store. The area calls `atEnd` while it is mounted.
   */
  readonly atEnd: (end: () => Promise<void>) => void
  /** The processes that work on the store. */
  readonly processes: Processes
  /** The signer of page tokens, for calls that answer pages and are no lists. */
  readonly pageTokens: PageTokens
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
  readonly guard?: IamServices | undefined
  /** The data folder if the store lies there; undefined for a store in a database, which servers of many hosts share. */
  readonly dataFolder?: string | undefined
  /** The URL of the database of the store, for an area that opens a connection of its own; undefined for a file. */
  readonly storeUrl?: string | undefined
}

/** The parts that an area gets for the rows of its first start. */
export interface StartParts<Settings extends SettingDeclarations = None> {
  /** The values of the settings that the area declares, keyed by the names of the settings. */
  readonly settings: SettingValues<Settings>
  readonly newId: () => string
}

/** The parts of the server for the first start of its areas. */
export type Starting = Pick<PlatformServices, 'clock' | 'config'>
