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
import type { Worker } from '../../domain/ports/workers.ts'
import type { ServerStore } from '../store/server-store.ts'

/** What access is made with. */
export interface AccessSources {
  readonly store: Store
  readonly secrets: Pick<ServerStore, 'secret' | 'time' | 'changedElsewhere' | 'beside'>
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  /** Where callers reach the server, known at the latest when it listens. */
  readonly baseUrl: () => string
  readonly audit: Audit
  readonly taxonomy: Taxonomy
  /** Where the operations of each area are authorized, by its name. */
  readonly scopes: Readonly<Record<string, AccessScopes>>
  /** Looks up the resources of all areas, as policies match them. */
  readonly resolve: Resolve
}

/** Who may do what on a platform: what a server asks at its doors and gives its areas. */
export interface PlatformAccess {
  readonly doors: Doors
  readonly access: Authorizer
  /** What the guard does for the areas: the functions of iam. */
  readonly functions: Partial<AreaFunctions>
  /** What the guard shares with the area of iam; absent where another access guards the platform. */
  readonly guard?: IamServices
  /** Beside those of the areas. */
  readonly routes: readonly BoundRoute[]
  readonly periodic: readonly Worker[]
  /** Makes what exists from the first start, once the areas have. */
  begin(): Promise<SignIn>
  end(): void | Promise<void>
}

/** How a person signs in to the server at a URL, line by line. */
export type SignIn = (url: string) => readonly string[]

export type OpenAccess = (sources: AccessSources) => Promise<PlatformAccess>
