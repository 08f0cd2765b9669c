import type { Document, NamedSchema, Operation } from '../model/types.ts'
import { type Emission, openFile, resolved, schemaOf } from './emission.ts'
import { domainName } from './errors.ts'
import type { OutputFile } from './file.ts'
import { handlersName } from './handlers.ts'
import { quote } from './layout/typescript.ts'
import { listNames } from './list-names.ts'
import { areaTypes, checkName } from './names.ts'
import { render } from './templates/render.ts'
import type { AreaView } from './views/area.ts'

/**
 * Emits area.ts: the area for a server, and the types that its operations record. Returns undefined unless the document
 * declares errors and permissions and lists the records of its operations.
 */
export function emitArea(emission: Emission): OutputFile | undefined {
  const { document } = emission
  if (document.errors.length === 0 || document.permissions.length === 0) return undefined
  const records = recordsOf(emission)
  if (!records) return undefined
  const file = openFile(emission, 'area')
  file.write(render('area', viewOf(records, emission, file), emission.options.templates))
  return file
}

function viewOf(records: Records, emission: Emission, file: OutputFile): AreaView {
  const { document } = emission
  const { name } = document
  const record = records.schema.views.output
  const types = areaTypes(name)
  return {
    name: `${name}Area`,
    type: types.area,
    resourceType: types.resource,
    resourceTypes: resourceTypesOf(document).map(quote),
    operationTypes: records.operationTypes.map(quote),
    record: file.from('types', record, true),
    handlers: file.from('handlers', handlersName(emission), true),
    GeneratedArea: file.runtime('GeneratedArea'),
    domain: file.from('errors', domainName(document), false),
    list: file.from('filters', listNames(records.list, document).fields, false),
    check: file.from('validators', checkName(record), false),
    filters: file.from('filters', `${name}Filters`, false),
    permissions: file.from('permissions', `${name}Permissions`, false),
    routes: file.from('routes', `${name}Routes`, false),
  }
}

/** The operation records of the document. */
export interface Records {
  /** The operation that lists the records. */
  readonly list: Operation
  readonly schema: NamedSchema
  /** The operation types, such as `CREATE`; at least one. */
  readonly operationTypes: readonly string[]
}

/**
 * Returns the records of the first list whose rows are a schema of this document, have the resource type
 * `<area>.operations` and declare operation types. Returns undefined if no list fits.
 */
export function recordsOf(emission: Emission): Records | undefined {
  const { document } = emission
  for (const list of document.operations) {
    if (list.list?.item.kind !== 'ref') continue
    const schema = schemaOf(emission, list.list.item.target)
    if (schema.document !== document.name || schema.resource?.type !== `${document.domain.name}.operations`) continue
    const operationTypes = operationTypesOf(schema, emission)
    if (operationTypes.length > 0) return { list, schema, operationTypes }
  }
  return undefined
}

/**
 * Returns the values of `operation_type` that have the document's prefix, without the prefix; a server records no other
 * value.
 */
function operationTypesOf({ schema }: NamedSchema, emission: Emission): readonly string[] {
  if (schema.kind !== 'object') return []
  const property = schema.properties.find(({ name }) => name === 'operation_type')
  const type = property && resolved(emission, property.schema)
  if (type?.kind !== 'enum') return []
  const prefix = `${emission.document.domain.name.toUpperCase()}_OPERATION_TYPE_`
  return type.values.flatMap(value => {
    const isType = typeof value === 'string' && value !== type.unspecified && value.startsWith(prefix)
    return isType ? value.slice(prefix.length) || [] : []
  })
}

/**
 * Returns the distinct resource types of the document's schemas and permissions within its domain, sorted by UTF-16
 * code unit.
 */
function resourceTypesOf({ domain, operations, schemas }: Document): readonly string[] {
  const resources = schemas.flatMap(({ resource }) => resource?.type ?? [])
  const guarded = operations.flatMap(({ access }) => access?.key?.replace(/\.[^.]*$/, '') ?? [])
  const own = [...resources, ...guarded].filter(type => type.startsWith(`${domain.name}.`))
  return [...new Set(own)].sort((a, b) => (a < b ? -1 : 1))
}
