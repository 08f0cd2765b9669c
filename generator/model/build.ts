import type { DiagnosticList } from '../diagnostics.ts'
import { member, positionOf, text, whole, words } from '../read/located.ts'
import { operationsOf } from '../read/operations.ts'
import { firstServer } from '../read/servers.ts'
import type { Entry, Loaded } from '../read/types.ts'
import type { Building } from './building.ts'
import { domainOf, errorsOf, permissionsOf } from './catalogue.ts'
import { onCycles } from './cycles.ts'
import { exactAnswers, idsWith, isInt64 } from './exact-answers.ts'
import { formSchemas, withFiles } from './form-schemas.ts'
import { groupNames, groupsOf, tagOf } from './groups.ts'
import { judge } from './judge.ts'
import { operationsFrom, serverFrom } from './operation.ts'
import { type Registered, Registry } from './registry.ts'
import { sharedMembers } from './shared-members.ts'
import { childrenSchema, schemaOf } from './schema.ts'
import { resourceOf } from './traits.ts'
import type { Document, Model, NamedSchema, Operation, Schema } from './types.ts'
import { alwaysAnswered, answeredBy, reachedBy, traitsOf, type Unviewed, viewsOf } from './views.ts'
import { targetsOf } from './walk.ts'
import type { Outline } from '../document-outline.ts'

/**
 * Builds the model of loaded and checked documents, and adds the faults that only the model of all documents shows to
 * `diagnostics`. Do not emit the model if `diagnostics` holds an error of this or an earlier stage. `beside` holds the
 * outlines of the documents of the run that were not loaded. `isExact` is true if integers of the format `int64` are not
 * held as numbers.
 */
export function build(
  loaded: Loaded,
  diagnostics: DiagnosticList,
  beside: readonly Outline[] = [],
  isExact = false,
): Model {
  const registry = new Registry(loaded, diagnostics)
  const built: Built[] = []
  const buildPending = (): void => {
    for (const registered of registry.pending()) {
      built.push({
        registered,
        schema: namedSchema({ loaded, diagnostics, registry, isExact, document: registered.document }, registered),
      })
    }
  }
  buildPending()
  const drafts = loaded.entries.map(entry => {
    const draft = draftOf(entry, { loaded, diagnostics, registry, isExact, document: entry.name })
    buildPending()
    return draft
  })
  const schemas = finished(
    built,
    drafts.flatMap(({ operations }) => operations),
    registry,
    { beside, diagnostics },
  )
  const documents = drafts.map(draft => documentOf(draft, visible(schemas, draft.entry, loaded), diagnostics))
  const byId = new Map(schemas.map(schema => [schema.id, schema]))
  return {
    documents,
    shared: sharedMembers(documents, byId),
    exact: exactAnswers(documents, byId),
    int64s: idsWith(byId, isInt64),
    isInterwoven: registry.isInterwoven || schemas.some(schema => hasForeignTarget(schema, loaded)),
  }
}

/** Returns the schemas of a document and of the documents that it refers to. */
function visible(schemas: readonly NamedSchema[], { name }: Entry, loaded: Loaded): readonly NamedSchema[] {
  const reached = loaded.reach.get(name)
  const documents = new Set(loaded.entries.filter(({ file }) => reached?.has(file.file)).map(entry => entry.name))
  return schemas.filter(schema => documents.has(schema.document))
}

/**
 * Whether a schema refers to a document that the schema's own document does not refer to, for example because another
 * document extends the schema.
 */
function hasForeignTarget({ document, schema }: NamedSchema, { entries, reach }: Loaded): boolean {
  const reached = reach.get(document)
  const names = new Set(entries.filter(({ file }) => reached?.has(file.file)).map(({ name }) => name))
  return targetsOf(schema).some(target => !names.has(target.slice(0, target.indexOf('.'))))
}

interface Built {
  readonly registered: Registered
  readonly schema: Schema
}

const namedSchema = (building: Building, { at, children, isBase }: Registered): Schema =>
  children.length > 0 && !isBase ? childrenSchema(building, at, children) : schemaOf(building, at)

/** A document with its operations, before its schemas are finished. */
interface Draft {
  readonly entry: Entry
  readonly operations: readonly Operation[]
  readonly tags: readonly (string | undefined)[]
  readonly groups: ReadonlyMap<string | undefined, string>
}

function draftOf(entry: Entry, building: Building): Draft {
  const found = operationsOf(building.loaded, entry.file)
  const tags = found.map(({ at }) => tagOf(at))
  const groups = groupNames(entry.name, tags)
  // In the function that binds handlers, a group would hide a route constant with the same name.
  const taken = [entry.name, `${entry.name}Routes`, ...groups.values()]
  return { entry, operations: operationsFrom(building, found, taken), tags, groups }
}

/** Completes the named schemas with the facts that need all schemas together: views, defaults and recursion. */
function finished(
  built: readonly Built[],
  operations: readonly Operation[],
  registry: Registry,
  { beside, diagnostics }: { readonly beside: readonly Outline[]; readonly diagnostics: DiagnosticList },
): readonly NamedSchema[] {
  const read = built.map(({ registered: { id, name, document }, schema }): Unviewed => ({ id, name, document, schema }))
  const seeds = beside.map(({ reaches }) => reaches)
  const forms = formSchemas(operations, read, seeds)
  const unviewed = read.map(each => (forms.has(each.id) ? { ...each, schema: withFiles(each.schema) } : each))
  judge(unviewed, operations, diagnostics)
  const recursive = onCycles(new Map(unviewed.map(({ id, schema }) => [id, targetsOf(schema)])))
  const traits = traitsOf(unviewed)
  const reached = reachedBy(operations, unviewed, seeds)
  const roots = [...alwaysAnswered(unviewed, reached), ...seeds.flatMap(({ answered }) => answered)]
  const answered = answeredBy(operations, unviewed, roots)
  const sources = new Map(built.map(({ registered }) => [registered.id, registered]))
  return unviewed.flatMap(each => {
    const registered = sources.get(each.id)
    if (!registered) return []
    const { at, source } = registered
    const { id } = each
    const { parsedName, views } = viewsOf(each, traits, reached, registry.namesOf(each.document))
    return {
      ...each,
      source,
      views,
      parsedName,
      isAnswered: answered.has(id) || views.input === views.output,
      isSent: reached.input.has(id),
      hasDefaults: traits.defaults.has(id),
      isRecursive: recursive.has(id),
      resource: resourceOf(at),
      position: positionOf(at),
    }
  })
}

function documentOf(
  { entry: { name, file }, operations, tags, groups }: Draft,
  schemas: readonly NamedSchema[],
  diagnostics: DiagnosticList,
): Document {
  const document = whole(file)
  const info = member(document, 'info')
  const errors = errorsOf(document, diagnostics)
  const tagged = operations.map((operation, i) => [tags[i], operation] as const)
  return {
    name,
    source: file.file,
    title: words(info, 'title') ?? name,
    version: words(info, 'version') ?? '',
    description: text(info, 'description'),
    domain: domainOf(name, document, errors, diagnostics),
    server: serverFrom(firstServer(document)),
    schemas: schemas.filter(schema => schema.document === name),
    operations,
    groups: groupsOf(name, tagged, groups, schemas),
    errors,
    permissions: permissionsOf(document, operations, diagnostics),
  }
}
