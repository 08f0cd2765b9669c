import type { AccessScopes } from '../domain/ports/access.ts'
import type { AreaFunctions, FunctionOwner } from '../domain/ports/functions.ts'
import type { AreaFacts, Inspect } from '../domain/ports/inspection.ts'
import type { Collection, Transaction } from '../domain/ports/store.ts'
import type { AnyKind } from '../domain/resources/kind.ts'
import { resolverOf, type Resolve } from '../domain/resources/look-up.ts'
import type { ErrorDomain } from '../runtime/errors.ts'
import type { AreaTypes } from '../runtime/route.ts'
import { recordScope } from './access/asked-scope.ts'
import type { AreaDeclaration, MountedArea } from './area-declaration.ts'
import type { AreaHost, HostPlace } from './area-host.ts'
import type { None, PlatformServices, Starting } from './area-parts.ts'
import { nativeEngine } from './engines.ts'
import { mountArea } from './mount-area.ts'
import { operationsCollection } from './operations/area-records.ts'
import type { StoredOperation } from './operations/record.ts'
import type { SettingDeclarations } from './settings/declarations.ts'
import { settingsOf } from './settings/values.ts'

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
  /** Whether all answers say `Cache-Control: no-store`, or the operationIds whose answers do. */
  readonly isSecret: boolean | readonly string[]
  readonly functions?: Partial<AreaFunctions>
  /** The scope finders of operations whose path does not name the scope, keyed by operationId. */
  readonly scopes: AccessScopes
  readonly resolve: Resolve
  readonly mount: (parts: PlatformServices) => MountedArea
  readonly start?: (tx: Transaction, starting: Starting) => Promise<void>
  readonly inspect?: Inspect
  readonly facts?: Partial<AreaFacts>
  readonly host?: (place: HostPlace) => AreaHost
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
    functions,
    host,
    inspect,
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
    ...(facts && { facts }),
    ...(host && {
      host: (place: HostPlace) =>
        host(place, settingsOf({ ...place, baseUrl: undefined }, settings ?? ({} as Settings))),
    }),
  }
}

const resolveBoth =
  (ofKinds: Resolve, own: Resolve | undefined): Resolve =>
  async (reader, type, id) =>
    (await ofKinds(reader, type, id)) ?? own?.(reader, type, id)
