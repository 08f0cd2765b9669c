import { completeName, checkName, clientName, fieldsName, pascal, word } from '../../../generator/emit/names.ts'
import type { Emission } from '../../../generator/emit/emission.ts'
import { domainName } from '../../../generator/emit/errors.ts'
import { updatedFieldsOf } from '../../../generator/emit/fields.ts'
import { completionOf, requestCompletion } from '../../../generator/emit/parsed-types.ts'
import { listNames } from '../../../generator/emit/list-names.ts'
import { itemName } from '../../../generator/emit/media.ts'
import { isReservedWord } from '../../../generator/identifier.ts'
import type { Document, NamedSchema, Operation, View } from '../../../generator/model/types.ts'
import type { Declaration } from './declarations.ts'
import { isOptional, modelledTypes, travelling } from './modelled-types.ts'

/**
 * Returns the declarations of each file according to the model, in order, keyed by the name of the file; files without
 * declarations are left out.
 */
export function modelled(emission: Emission): ReadonlyMap<string, readonly Declaration[]> {
  const { document } = emission
  const files: readonly (readonly [string, readonly Declaration[]])[] = [
    ['types.ts', modelledTypes(emission)],
    ['validators.ts', validatorsOf(emission)],
    ['handlers.ts', handlersOf(document)],
    ['routes.ts', routesOf(document)],
    ['errors.ts', errorsOf(document)],
    ['client.ts', clientOf(document)],
    ['filters.ts', filtersOf(document)],
    ['permissions.ts', permissionsOf(document)],
  ]
  return new Map(files.filter(([, declarations]) => declarations.length > 0))
}

const functionOf = (name: string, ...members: readonly string[]): Declaration => ({ kind: 'function', name, members })
const text = (value: string | number): string => JSON.stringify(value)

function validatorsOf(emission: Emission): readonly Declaration[] {
  const { document, schemas } = emission
  const targets = document.operations.flatMap(operation => updatedFieldsOf(operation, emission)?.target ?? [])
  const updated = [...new Set(targets)].flatMap(target => schemas.get(target) ?? [])
  return [
    ...document.schemas.flatMap(schema => schemaChecksOf(schema, emission)),
    ...document.operations.flatMap(operation => requestChecksOf(operation, emission)),
    ...updated.flatMap(({ schema, views }): readonly Declaration[] =>
      schema.kind === 'object'
        ? [{ kind: 'const', name: fieldsName(views.output), members: schema.properties.map(({ name }) => text(name)) }]
        : [],
    ),
  ]
}

const checkOf = (name: string, ...further: readonly string[]): Declaration =>
  functionOf(checkName(name), 'value', 'faults', ...further)

/** Returns the views of a schema that have a type of their own, keyed by the name of the type. */
export function viewsOf({ isAnswered, views }: NamedSchema): ReadonlyMap<string, View> {
  const kept: readonly View[] = isAnswered ? ['update', 'input', 'output'] : ['update', 'input']
  return new Map(kept.map(view => [views[view], view]))
}

function schemaChecksOf(named: NamedSchema, emission: Emission): readonly Declaration[] {
  const { fills, drops } = completionOf(named.schema, emission)
  const { input, output } = named.views
  const completes = input !== output && (fills || drops)
  const names = [...viewsOf(named).keys()].toReversed()
  const further = named.schema.kind === 'string' ? ['field'] : []
  return [
    ...names.map(name => checkOf(name, ...further)),
    ...(completes ? [functionOf(completeName(input), 'value')] : []),
  ]
}

function requestChecksOf(operation: Operation, emission: Emission): readonly Declaration[] {
  const { fills, drops } = requestCompletion(operation, emission)
  const streams = operation.body?.contents.filter(({ kind }) => kind === 'lines' || kind === 'events') ?? []
  return [
    checkOf(operation.requestName),
    ...streams.map(content => checkOf(itemName(operation, content, emission))),
    ...(fills || drops ? [functionOf(completeName(operation.requestName), 'request')] : []),
  ]
}

function handlersOf({ groups, name, operations }: Document): readonly Declaration[] {
  if (operations.length === 0) return []
  return [
    ...groups.map((group): Declaration => ({
      kind: 'interface',
      name: group.interfaceName,
      members: group.operations.map(operation => `${text(operation.name)}()`),
    })),
    { kind: 'interface', name: `${pascal(name)}Handlers`, members: groups.map(group => text(group.name)) },
  ]
}

function routesOf({ groups, name, operations }: Document): readonly Declaration[] {
  if (operations.length === 0) return []
  const routes = operations.map((operation): Declaration => {
    const { body, id, method, parameters, pathParts, routeName, successes } = operation
    return {
      kind: 'const',
      name: routeName,
      members: [
        text(id),
        text(method),
        ...pathParts.map(text),
        ...parameters.map(
          each => `${text(each.in)} ${text(each.name)}${each.member === each.name ? '' : ` as ${text(each.member)}`}`,
        ),
        ...(body ? ['body'] : []),
        ...successes.map(({ status }) => `success ${text(status)}`),
      ],
    }
  })
  const bound = groups.flatMap(group => group.operations.map(({ routeName }) => routeName))
  return [...routes, functionOf(`${name}Routes`, ...bound)]
}

function errorsOf(document: Document): readonly Declaration[] {
  const { domain, errors, name, operations } = document
  const isLibrary = operations.length === 0
  const where: Declaration = {
    kind: 'const',
    name: domainName(document),
    members: domain.base === undefined ? ['"name"'] : ['"name"', '"base"'],
  }
  const names = reasonNames(document)
  const raised = errors.filter(({ rpc }) => rpc !== undefined)
  return [
    ...(isLibrary ? [] : [where]),
    ...(raised.length === 0
      ? []
      : [{ kind: 'type', name: `${pascal(name)}Reason`, members: raised.map(({ reason }) => text(reason)) } as const]),
    ...raised.map(({ code, metadata, reason, rpc = '' }) => {
      const parameters = metadata.length > 0 ? ['message', 'metadata', 'details'] : ['message', 'details']
      return functionOf(names.get(reason) ?? '', ...parameters, text(reason), text(rpc), text(code))
    }),
    ...errors
      .filter(({ rpc }) => rpc === undefined)
      .map(({ code, reason }): Declaration => ({
        kind: 'const',
        name: names.get(reason) ?? '',
        members: [text(reason), text(code)],
      })),
  ]
}

/**
 * Returns the name of each reason's function, keyed by reason: camel case, with the suffix `Error` if the plain name is
 * reserved or taken, or else the reason in lower case with the suffix `_`.
 */
function reasonNames(document: Document): ReadonlyMap<string, string> {
  const taken = new Set([domainName(document)])
  return new Map(
    document.errors.map(({ reason }) => {
      const plain = word(reason.toLowerCase().replaceAll('_', ' '))
      const wanted = [plain, `${plain}Error`]
      const name = wanted.find(each => !isReservedWord(each) && !taken.has(each)) ?? `${reason.toLowerCase()}_`
      taken.add(name)
      return [reason, name]
    }),
  )
}

function clientOf(document: Document): readonly Declaration[] {
  const { name, operations } = document
  if (operations.length === 0) return []
  const waits = operations.some(({ id }) => id === 'getOperation') && operations.some(each => each.returnsOperation)
  const methods = operations.flatMap(operation => [
    operation.name,
    ...(operation.list ? [listNames(operation, document).iterator] : []),
  ])
  const members = [...methods, ...(waits ? ['waitOperation'] : [])].map(method => `${text(method)}()`)
  return [{ kind: 'class', name: clientName(name), members }]
}

function filtersOf(document: Document): readonly Declaration[] {
  const lists = document.operations.flatMap(operation => {
    const { list } = operation
    return list ? [{ list, name: listNames(operation, document).fields }] : []
  })
  if (lists.length === 0) return []
  const byResource = lists
    .filter(({ list }) => list.resource !== undefined)
    .toSorted((a, b) => ((a.list.resource ?? '') < (b.list.resource ?? '') ? -1 : 1))
  return [
    ...lists.map(({ list, name }): Declaration => {
      const resource = list.resource === undefined ? [] : [text(list.resource)]
      const fields = list.fields.map(field => text(field.name))
      return { kind: 'const', name, members: [...fields, ...resource, text(list.defaultOrder), text(list.key)] }
    }),
    { kind: 'const', name: `${document.name}Filters`, members: byResource.map(({ name }) => name) },
  ]
}

function permissionsOf({ name, permissions }: Document): readonly Declaration[] {
  if (permissions.length === 0) return []
  return [
    { kind: 'const', name: `${name}Permissions`, members: permissions.map(({ key }) => text(key)) },
    { kind: 'type', name: `${pascal(name)}Permission`, members: [] },
  ]
}

/** Returns the declarations of area.ts for a document that has an area.ts. */
export function modelledArea({ document }: Emission): readonly Declaration[] {
  const { domain, name, operations, schemas } = document
  const types = [
    ...schemas.flatMap(({ resource }) => resource?.type ?? []),
    ...operations.flatMap(({ access }) => access?.key?.split('.').slice(0, -1).join('.') ?? []),
  ]
  const own = types.filter(type => type.startsWith(`${domain.name}.`))
  const resource = `${pascal(name)}ResourceType`
  return [
    { kind: 'type', name: resource, members: [...new Set(own)].sort((a, b) => (a < b ? -1 : 1)).map(text) },
    { kind: 'interface', name: `${pascal(name)}Area`, members: ['record', 'operationType', 'resourceType'].map(text) },
    {
      kind: 'const',
      name: `${name}Area`,
      members: ['domain', 'operations', 'filters', 'permissions', 'routes'].map(text),
    },
  ]
}

/**
 * Returns the members that the check of a view must read: an optional member of any type needs no check. Returns an
 * empty list for a schema that is no object.
 */
export function checkedMembers({ schema }: NamedSchema, view: View): readonly string[] {
  if (schema.kind !== 'object') return []
  return travelling(schema, view)
    .filter(property => property.schema.kind !== 'any' || !isOptional(property, view))
    .map(({ name }) => name)
}
