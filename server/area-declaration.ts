import type { AccessScopes } from '../domain/ports/access.ts'
import type { DataPlane } from '../domain/ports/data-planes.ts'
import type { AreaFunctions, FunctionOwner } from '../domain/ports/functions.ts'
import type { AreaFacts, Inspect } from '../domain/ports/inspection.ts'
import type { Procedure } from '../domain/ports/procedures.ts'
import type { Collection, Transaction } from '../domain/ports/store.ts'
import type { WorkspaceHooks } from '../domain/ports/taxonomy.ts'
import type { Worker } from '../domain/ports/workers.ts'
import type { AnyKind } from '../domain/resources/kind.ts'
import type { Resolve } from '../domain/resources/look-up.ts'
import type { FormRules } from '../runtime/form-rules.ts'
import type { AreaTypes, BoundRoute, GeneratedArea } from '../runtime/route.ts'
import type { AreaHost, HostPlace } from './area-host.ts'
import type { AreaEnvironment, None, StartParts } from './area-parts.ts'
import type { EngineCheck } from './engines.ts'
import type { Needs } from './functions.ts'
import type { SettingDeclarations, SettingValues } from './settings/declarations.ts'

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
  /** Returns the names of the engines that the settings add to `engines`. */
  readonly addedEngines?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => readonly string[]
  /**
   * Whether all answers of the area say `Cache-Control: no-store`, because they may hold secrets (conventions §1); or the
   * operationIds whose answers do.
   */
  readonly isSecret?: boolean | readonly string[]
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
  /**
   * Returns the rules for the bodies of operations that their schemas cannot express, keyed by operationId. The faults of
   * a rule are reported as FIELD_INVALID together with those of the schema.
   */
  readonly forms?: (parts: AreaEnvironment<Area, Required, Optional, Settings>) => FormRules
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
  /** The facts of the area for the checkers of other areas. */
  readonly facts?: Partial<AreaFacts>
  /**
   * Returns what the area has beside the store on a host. The doctor calls `host` before its snapshot of the store, so
   * `host` may read files for a comparison with their later state.
   */
  readonly host?: (place: HostPlace, settings: SettingValues<Settings>) => AreaHost
}

/** The opened resources of an area; see `AreaDeclaration.open`. */
export interface OpenedArea {
  /** The lines for the person who starts the server, such as a missing key and its remedy. */
  readonly notices: readonly string[]
  /** Returns the reason for which the area serves only some calls, for `/readyz`; undefined if it serves all calls. */
  readonly degradation: () => string | undefined
  /** Closes the resources; all calls and workers have ended. */
  readonly close: () => void
}

/** The routes, the workers and the check of calls of a mounted area. */
export interface MountedArea {
  readonly routes: readonly BoundRoute[]
  /** The rules for bodies that the routes apply, keyed by operationId. */
  readonly forms?: FormRules
  readonly workers: readonly Worker[]
  /** The names of the engines that the settings add to those of the declaration. */
  readonly addedEngines: readonly string[]
  readonly admit?: EngineCheck['admit'] | undefined
  readonly open?: (() => Promise<OpenedArea>) | undefined
}
