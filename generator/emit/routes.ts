import { isIdentifier } from '../identifier.ts'
import { isLine, type OperationAccess, type Group, type Operation, type Response } from '../model/types.ts'
import { resultType } from './answer-type.ts'
import { requestComplete } from './complete-functions.ts'
import { type Emission, openFile, resolved, schemaOf } from './emission.ts'
import { domainName } from './errors.ts'
import { etagPlaceOf } from './etag-place.ts'
import { updatedFieldsOf } from './fields.ts'
import type { OutputFile } from './file.ts'
import { listNames } from './list-names.ts'
import { handlerRequestName } from './parsed-types.ts'
import { handlersName } from './handlers.ts'
import { inSentence } from './layout/comment.ts'
import { flat } from './layout/doc.ts'
import { typeCode } from './layout/type.ts'
import { literal, member, object, property, quote, texts } from './layout/typescript.ts'
import { answerMediaOf, requestBodyOf } from './media.ts'
import { checkName, fieldsName } from './names.ts'
import { shortComment } from './operation-comment.ts'
import { ParameterConstants } from './parameter-constants.ts'
import { exact, parameterType, takesOthers } from './parameter-type.ts'
import { render } from './templates/render.ts'
import type { BindingView, RoutesView, RouteView, SuccessView } from './views/routes.ts'

/**
 * Emits routes.ts: a constant for each operation with the data that clients need, and the function that binds all
 * operations to their handlers. The data for servers is only in that function, so that clients do not load the data.
 * Returns undefined for a document without operations.
 */
export function emitRoutes(emission: Emission): OutputFile | undefined {
  if (emission.document.operations.length === 0) return undefined
  const file = openFile(emission, 'routes')
  file.write(render('routes', viewOf(emission, file), emission.options.templates))
  return file
}

function viewOf(emission: Emission, file: OutputFile): RoutesView {
  const { document } = emission
  const { groups, name, operations, title } = document
  const drafts = operations.map(operation => ({ operation, view: routeView(operation, emission, file) }))
  const named = {
    ClientParameter: operations.some(each => each.parameters.length > 0) ? file.runtime('ClientParameter') : '',
    handlers: file.from('handlers', handlersName(emission), true),
    domain: file.from('errors', domainName(document), false),
    BoundRoute: file.runtime('BoundRoute'),
    ClientRoute: file.runtime('ClientRoute'),
  }
  const bindings = (place: (group: Group) => string): readonly BindingView[] =>
    groups.flatMap(group => group.operations.map(each => bindingView(each, place(group), emission, file)))
  // The bindings use imports, and a group must not hide any of them.
  const bound = bindings(group => group.name)
  const parameters = new ParameterConstants(emission, file, [`${name}Routes`])
  const routes = drafts.map(({ operation, view }) => ({
    ...view,
    parameters: inReadingOrder(operation, emission).map(parameter => parameters.nameOf(parameter)),
  }))
  const isSpread = groups.every(group => isIdentifier(group.name) && !isNamed(group.name, file))
  return {
    title: inSentence(title),
    name: `${name}Routes`,
    parameters: parameters.views,
    routes,
    given: isSpread ? `{ ${groups.map(group => group.name).join(', ')} }` : 'handlers',
    bindings: isSpread ? bound : bindings(group => member('handlers', group.name)),
    ...named,
  }
}

/** Returns the parameters of an operation. A map that takes what belongs to no other parameter is read last. */
const inReadingOrder = ({ parameters }: Operation, emission: Emission): Operation['parameters'] =>
  [false, true].flatMap(isLast => parameters.filter(each => takesOthers(each, emission) === isLast))

/** Whether a group with this name would hide a name that the binding function uses. */
const isNamed = (name: string, file: OutputFile): boolean =>
  ['bind', 'bindList', 'context', 'request'].includes(name) ||
  file.imports(name) ||
  file.document.operations.some(({ routeName }) => routeName === name)

function routeView(operation: Operation, emission: Emission, file: OutputFile): Omit<RouteView, 'parameters'> {
  const { access, body, mode, successes } = operation
  const handled = handlerRequestName(operation, emission)
  return {
    comment: shortComment(operation).trim(),
    name: operation.routeName,
    request: file.from('types', operation.requestName, true),
    result: typeCode(resultType(operation, { emission, file, view: 'output' })),
    parsed: handled === operation.requestName ? '' : file.from('types', handled, true),
    operationId: quote(operation.id),
    method: quote(operation.method),
    path: texts(operation.pathParts),
    server: operation.server ? quote(operation.server.url) : '',
    body: body ? requestBodyOf(operation, body, emission, file) : false,
    success: successes.map(response => successView(response, emission, file)),
    replies: operation.answer === 'replies' ? file.runtime('readReply') : '',
    init: successes.some(isRedirection) ? `{ redirect: ${quote('manual')} }` : '',
    access: access?.kind === 'public' ? accessOf(access) : '',
    mode: mode && mode !== 'data' ? quote(mode) : '',
  }
}

/**
 * Returns the template data of a binding, which only the server needs; `handlers` is the expression of the operation's
 * handlers.
 */
function bindingView(operation: Operation, handlers: string, emission: Emission, file: OutputFile): BindingView {
  const { access, list, queryKeys, raises } = operation
  const update = updatedFieldsOf(operation, emission)
  const complete = requestComplete(operation, emission)
  const etag = etagPlaceOf(operation, emission)
  const listFields = (): string => file.from('filters', listNames(operation, emission.document).fields, false)
  return {
    bind: file.runtime(list ? 'bindList' : 'bind'),
    route: operation.routeName,
    handler: member(handlers, operation.name),
    access: access && access.kind !== 'public' ? accessOf(access) : '',
    raises: raises ? texts(raises) : '',
    queryKeys: queryKeys.length > 0 ? texts(queryKeys) : '',
    list: list ? { member: quote(list.member), fields: listFields() } : false,
    fields: update ? fieldsOf(update.target, emission, file) : '',
    masked: update?.member === undefined ? '' : quote(update.member),
    etag: etag === undefined ? '' : quote(etag),
    check: file.from('validators', checkName(operation.requestName), false),
    complete: complete === undefined ? '' : file.from('validators', complete, false),
  }
}

/**
 * Returns the name of the constant with the fields of a schema. The file of the operation's document declares the
 * constant, even if another document declares the schema.
 */
const fieldsOf = (target: string, emission: Emission, file: OutputFile): string =>
  file.from('validators', fieldsName(schemaOf(emission, target).views.output), false)

/** Whether an answer leads to another address, which `fetch` would follow (RFC 9110 §15.4). */
const isRedirection = ({ status }: Response): boolean => [301, 302, 303, 307, 308].some(code => code === status)

/** Returns the template data of a declared success. */
function successView(response: Response, emission: Emission, file: OutputFile): SuccessView {
  const { headers, status } = response
  const types = headers.map(({ isJson, name, schema }) => {
    const isText = !isJson && isLine(schema, each => resolved(emission, each))
    return property(name, [isText ? parameterType(schema, emission) : quote('json'), exact(name)])
  })
  return {
    status: typeof status === 'number' ? String(status) : quote(status),
    media: answerMediaOf(response, emission, file),
    headers: types.length > 0 ? flat(object(types)) : '',
  }
}

function accessOf(access: OperationAccess): string {
  return `{ ${Object.entries(access)
    .map(([name, value]) => `${name}: ${flat(literal(value))}`)
    .join(', ')} }`
}
