import type { FunctionOwner } from '../domain/ports/functions.ts'
import { kindHooks } from '../domain/resources/workspace-hooks.ts'
import { birthsWorker } from '../domain/taxonomy/births.ts'
import { ruled } from '../runtime/bind.ts'
import type { AreaTypes } from '../runtime/route.ts'
import { settledOperations } from './access/settled-operations.ts'
import type { AreaDeclaration, MountedArea } from './area-declaration.ts'
import { requireKnownOperations, requireSoundWorkers } from './area-faults.ts'
import type { AreaEnvironment, PlatformServices } from './area-parts.ts'
import { areaRecords } from './operations/area-records.ts'
import { loggedHooks } from './operations/logged-hooks.ts'
import { operationsOf } from './operations/operations.ts'
import type { SettingDeclarations } from './settings/declarations.ts'
import { settingsOf } from './settings/values.ts'

/**
 * Adds the functions, procedures, hooks and planes of an area to the server, and returns its routes, its workers and
 * its check of calls.
 */
export function mountArea<
  Area extends AreaTypes,
  Handlers,
  Required extends FunctionOwner,
  Optional extends FunctionOwner,
  Settings extends SettingDeclarations,
>(
  declaration: AreaDeclaration<Area, Handlers, Required, Optional, Settings>,
  { callWatchers, config, ends, functions, hooks, log, metrics, planes, queue, ...shared }: PlatformServices,
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
    watchCalls: watcher => void callWatchers.push(watcher),
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
  const forms = declaration.forms?.(parts) ?? {}
  const bound = ruled(routes(declaration.handlers(parts)), forms)
  requireKnownOperations(domain.name, 'scopes', Object.keys(declaration.scopes ?? {}), bound)
  requireKnownOperations(domain.name, 'forms', Object.keys(forms), bound)
  const workers = [...(declaration.workers?.(parts) ?? []), ...births]
  requireSoundWorkers(domain.name, workers)
  const { open } = declaration
  const addedEngines = declaration.addedEngines?.(parts) ?? []
  const admit = declaration.admit?.(parts)
  return { routes: bound, forms, workers, addedEngines, admit, ...(open && { open: () => open(parts) }) }
}
