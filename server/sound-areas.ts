import type { Collection } from '../domain/ports/store.ts'
import type { AnyKind } from '../domain/resources/kind.ts'
import { quoted } from '../runtime/refusal.ts'
import type { AreaModule } from './area.ts'
import { areaFault } from './area-faults.ts'
import { layoutOf } from './store/layout.ts'
import { sqliteDialect } from './store/sqlite/dialect.ts'

/** The part of an area that can be checked before a store is opened. */
type Declared = Pick<AreaModule, 'collections' | 'domain' | 'engines' | 'kinds' | 'operations'>

/** Reports a fault in a member of an area. */
type Report = (area: string, member: string, fault: string) => void

/**
 * Throws one error with a line for each fault in the declarations of areas. `own` are the collections of the server.
 * Faults that show only when an area is mounted are reported by `requireSoundWorkers`, by `requireKnownOperations`, and by
 * the functions that add the parts of an area to the server.
 */
export function requireSoundAreas(mounted: readonly Declared[], own: readonly Collection<never>[]): void {
  const lines: string[] = []
  const report: Report = (area, member, fault) => lines.push(areaFault(area, member, fault))
  checkNames(mounted, report)
  // An area that is mounted twice is checked once, so that its kinds and tables are not reported as repeated.
  const areas = [...new Map(mounted.map(area => [area.domain.name, area])).values()]
  checkKinds(areas, report)
  checkCollections(areas, own, report)
  for (const { domain, engines } of areas) checkEngines(domain.name, engines, report)
  if (lines.length > 0) throw new Error(lines.join('\n'))
}

const areaForm = /^[a-z][a-z0-9]*$/

/**
 * Reports malformed or repeated names of areas, and repeated bases. The name of an area stands in paths, tables and
 * permissions; its base separates the codes of its errors.
 */
function checkNames(areas: readonly Declared[], report: Report): void {
  const names = new Set(['ninefold'])
  const ownerOf = new Map<number, string>()
  for (const { domain } of areas) {
    const { base = 0, name } = domain
    if (!areaForm.test(name)) report(name, 'domain', 'the name must be one lower-case word; rename the area')
    if (names.has(name))
      report(name, 'domain', 'the name is taken; rename the area, or mount it once in server/areas.ts')
    else if (ownerOf.has(base))
      report(
        name,
        'domain',
        `its error codes begin at ${base}, as those of ${ownerOf.get(base)} do; give it another base`,
      )
    names.add(name)
    ownerOf.set(base, name)
  }
}

/** Reports types of kinds that are repeated or have another area's name, and faults in the targets of kinds. */
function checkKinds(areas: readonly Declared[], report: Report): void {
  const mounted = new Set(areas.flatMap(({ kinds }) => kinds.map(({ type }) => type)))
  const seen = new Set<string>()
  for (const { domain, kinds } of areas) {
    const tell = (fault: string): void => report(domain.name, 'kinds', fault)
    for (const kind of kinds) {
      const { isNamed = false, type } = kind
      if (seen.has(type)) tell(`the kind ${quoted(type)} is declared twice; drop or rename one`)
      else if (!type.startsWith(`${domain.name}.`))
        tell(`the type ${quoted(type)} must begin with "${domain.name}."; rename it`)
      seen.add(type)
      if (isNamed) requireNames(kind, [['name'], ['engine', 'name']], tell)
      checkTargets(kind, kinds, mounted, tell)
    }
  }
}

/** Reports a target or parent of a kind that is not mounted, or that a purge would delete before the kind. */
function checkTargets(
  { collection, parent, targets, type }: AnyKind,
  kinds: readonly AnyKind[],
  mounted: ReadonlySet<string>,
  tell: (fault: string) => void,
): void {
  const ends = targets.map(({ member, target }) => ({
    what: `the member ${member} of ${quoted(type)} refers to`,
    target,
  }))
  if (parent) {
    ends.push({ what: `the parent of ${quoted(type)} is`, target: parent.kind })
    if (!hasColumn(collection, parent.member))
      tell(`the parent of ${quoted(type)} is named by "${parent.member}"; add that to columns of ${collection.name}`)
  }
  const types = kinds.map(kind => kind.type)
  const own = types.indexOf(type)
  for (const { target, what } of ends) {
    if (!mounted.has(target.type)) tell(`${what} ${quoted(target.type)}, which no area mounts; add it to kinds`)
    if (types.slice(0, own).includes(target.type))
      tell(`${what} ${quoted(target.type)}, which a purge would delete first; name ${quoted(type)} before it`)
  }
  for (const { by, target } of targets) if (by === 'name') requireNames(target, [['name']], tell)
}

/** Reports a kind whose names are not unique by one of the sets of members `allowed`. */
function requireNames(
  { collection, type }: AnyKind,
  allowed: readonly (readonly string[])[],
  tell: (fault: string) => void,
): void {
  const sets = (collection.uniques ?? []).map(({ fields }) => fields.map(String).join())
  const isUnique = allowed.some(members => sets.includes(members.join()))
  if (hasColumn(collection, 'name') && isUnique) return
  tell(
    `rows of ${quoted(type)} are named by their names; add the column and the unique set of "name" to ${collection.name}`,
  )
}

const hasColumn = ({ columns = {}, list }: Collection<never>, name: string): boolean =>
  Object.hasOwn(columns, name) || (list?.fields ?? []).some(field => field.name === name && !field.list)

const tableForm = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/

const isTableOf = (area: string, name: string): boolean => name.startsWith(`${area}_`) && tableForm.test(name)

/** Reports tables that two collections share, malformed names of tables, and faults in the layout of collections. */
function checkCollections(areas: readonly Declared[], own: readonly Collection<never>[], report: Report): void {
  const seen = new Set(own.map(({ name }) => name))
  for (const { collections, domain, operations } of areas) {
    const tell = (fault: string): void => report(domain.name, 'collections', fault)
    for (const collection of collections) {
      const name = quoted(collection.name)
      if (seen.has(collection.name)) {
        const isRecords = collection.name === operations.name
        const why = isRecords ? 'the server keeps the operations of the area there' : 'kinds bring their own along'
        tell(`${name} is declared twice; drop or rename one (${why})`)
      } else if (!isTableOf(domain.name, collection.name))
        tell(`${name} must be named ${domain.name}_<plural> in lower case; rename it`)
      seen.add(collection.name)
      const fault = layoutFault(collection)
      if (fault !== undefined) tell(`${fault}; correct the declaration of ${name}`)
    }
  }
}

function layoutFault(collection: Collection<never>): string | undefined {
  try {
    layoutOf(collection, sqliteDialect)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const engineForm = /^[a-z][a-z0-9-]*$/

/** Reports missing, malformed and repeated engines: the name of an engine stands in paths. */
function checkEngines(area: string, engines: readonly string[], report: Report): void {
  if (engines.length === 0) report(area, 'engines', 'there is none; name one, or leave the member out for "native"')
  for (const [i, engine] of engines.entries()) {
    if (!engineForm.test(engine))
      report(area, 'engines', `${quoted(engine)} must be lower-case letters, digits and hyphens; rename it`)
    if (engines.indexOf(engine) < i) report(area, 'engines', `${quoted(engine)} is named twice; drop one`)
  }
}
