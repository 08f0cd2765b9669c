import type { Authorizer, AccessScopes } from '../../domain/ports/access.ts'
import type { Audit } from '../../domain/ports/audit.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { AreaFunctions } from '../../domain/ports/functions.ts'
import type { Resolve } from '../../domain/resources/look-up.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'
import type { Doors } from '../../runtime/doors.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { Config } from '../config.ts'
import type { IamServices } from './iam-services.ts'
import type { Log } from '../log.ts'
import type { Meters } from '../meters/meters.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import type { ServerStore } from '../store/server-store.ts'

/** The parts from which the access control of a platform is made. */
export interface AccessSources {
  readonly store: Store
  readonly secrets: Pick<ServerStore, 'secret' | 'time' | 'changedElsewhere' | 'beside'>
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly meters: Meters
  /** Returns the base URL of the server, which is known once the server listens. */
  readonly baseUrl: () => string
  readonly audit: Audit
  readonly taxonomy: Taxonomy
  /** The scope finders of operations, keyed by the name of the area. */
  readonly scopes: Readonly<Record<string, AccessScopes>>
  /** Looks up the resources of all areas, as policies match them. */
  readonly resolve: Resolve
}

/** The access control of a platform: the doors for the server, and the authorizer for the areas. */
export interface PlatformAccess {
  readonly doors: Doors
  readonly access: Authorizer
  /** The functions of iam for other areas. */
  readonly functions: Partial<AreaFunctions>
  /** The services that the guard shares with the area of iam; absent with another guard. */
  readonly guard?: IamServices
  /** The routes of the access control, in addition to the routes of the areas. */
  readonly routes: readonly BoundRoute[]
  readonly periodic: readonly Worker[]
  /** Whether all callers are refused with AUTHORIZATION_STALE; absent: never. */
  readonly isStale?: () => boolean
  /**
   * Creates the rows of the first start, after the areas have created their rows. Returns the instructions for signing
   * in.
   */
  begin(): Promise<SignIn>
  end(): void | Promise<void>
}

/** Returns the lines that explain to a person how to sign in to the server at a URL. */
export type SignIn = (url: string) => readonly string[]

/** Opens the access control of a platform. */
export type OpenAccess = (sources: AccessSources) => Promise<PlatformAccess>
