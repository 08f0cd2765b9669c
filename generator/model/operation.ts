import { isReservedWord } from '../identifier.ts'
import { messages } from '../diagnostics.ts'
import { flag, member, members, positionOf, text, texts } from '../read/located.ts'
import { encodedLiteral, type FoundOperation, parametersOf, templateParts } from '../read/operations.ts'
import { follow } from '../read/resolve.ts'
import { readServer, type Server, serverBelow } from '../read/servers.ts'
import type { Located } from '../read/types.ts'
import type { Building, BuildSchema } from './building.ts'
import { contentsOf } from './content.ts'
import { madeOperationName, Names, operationName, spelling, upperFirst } from './names.ts'
import { isRange } from './media-types.ts'
import { parametersFrom } from './parameter.ts'
import { queryKeysOf } from './query-keys.ts'
import { responsesOf, type Responses } from './response.ts'
import { schemaOf } from './schema.ts'
import { listOf } from './list.ts'
import { accessOf, isOperationRecord } from './traits.ts'
import type { ListTrait, Operation, Parameter, RequestBody } from './types.ts'

/**
 * Builds the operations of a document, in the order of its paths. `taken` holds names that route constants cannot have.
 */
export function operationsFrom(
  building: Building,
  found: readonly FoundOperation[],
  taken: readonly string[],
): readonly Operation[] {
  const scopes: Scopes = {
    methods: new Names(),
    routes: new Names([...generatedNames, ...taken]),
    types: building.registry.namesOf(building.document),
  }
  const canWait = found.some(({ at }) => text(at, 'operationId') === 'getOperation')
  // The names that a document declares come first, so that no made name takes one.
  const isDeclared = ({ at }: FoundOperation): boolean => Boolean(text(at, 'operationId'))
  const ordered = [...found.filter(isDeclared), ...found.filter(each => !isDeclared(each))]
  const names = new Map(ordered.map(each => [each, namesOf(building, each, scopes)]))
  return found.flatMap(each => {
    const named = names.get(each)
    return named ? [operationFrom(building, each, named, canWait)] : []
  })
}

/** The other names in the module of a route constant, and the parameters of the functions that use the constant. */
const generatedNames = 'bind bindList context handlers iterate operation options request send wait'.split(' ')

interface Scopes {
  readonly methods: Names
  readonly routes: Names
  readonly types: Names
}

function operationFrom(building: Building, found: FoundOperation, names: OperationNames, canWait: boolean): Operation {
  const { at, item, method, path } = found
  const build: BuildSchema = (part, standing) => schemaOf(building, part, standing)
  const parameters = parametersFrom(building, parametersOf(building.loaded, found), build)
  const list = listOf(building, at, build)
  const responses = responsesOf(building, at, method, build, list !== undefined)
  return {
    ...names,
    method: method.toUpperCase(),
    path,
    pathParts: (templateParts(path) ?? [path]).map((part, i) => (i % 2 === 0 ? encodedLiteral(part) : part)),
    server: serverFrom(serverBelow(found)),
    summary: lastText([...item, at], 'summary'),
    description: lastText([...item, at], 'description'),
    deprecated: flag(at, 'deprecated'),
    parameters,
    body: bodyOf(building, found, parameters, build),
    ...responses,
    answer: answerOf(responses, list),
    access: accessOf(at),
    queryKeys: queryKeysOf(building.loaded, found.document, at),
    raises: member(at, 'x-raises') ? texts(at, 'x-raises') : undefined,
    mode: modeOf(text(at, 'x-mode')),
    list,
    returnsOperation: canWait && text(at, 'operationId') !== 'getOperation' && answersRecord(building, found),
    position: positionOf(at),
  }
}

/** Returns a server that clients can call; undefined without a server, and for all others, which are reported. */
export function serverFrom(at: Located | undefined): Server | undefined {
  const server = at && readServer(at)
  return typeof server === 'string' ? undefined : server
}

/** Returns the text of a member in the last of several objects that has the member. */
const lastText = (owners: readonly Located[], name: string): string | undefined =>
  owners.map(owner => text(owner, name)).findLast(found => found !== undefined)

type OperationNames = Pick<Operation, 'id' | 'name' | 'routeName' | 'requestName' | 'parsedRequestName'>

function namesOf(
  { diagnostics }: Building,
  { at, method, path }: FoundOperation,
  { methods, routes, types }: Scopes,
): OperationNames {
  const id = text(at, 'operationId') || undefined
  const wanted = id === undefined ? madeOperationName(method, path) : operationName(id)
  const name = methods.claim(wanted, spelling(id ?? `${method} ${path}`))
  if (id === undefined) diagnostics.add(messages.operationIdMade(name), positionOf(at))
  const ofRoute = [`${name}Operation`, `${name}Route`]
  const requestName = types.claim(`${upperFirst(name)}Request`, `${upperFirst(name)}OperationRequest`)
  return {
    id: id ?? name,
    name,
    routeName: routes.claim(...(isReservedWord(name) ? [] : [name]), ...ofRoute),
    requestName,
    parsedRequestName: types.claim(`Parsed${requestName}`),
  }
}

/**
 * Builds the body of an operation; undefined without a body. GET and HEAD have no body, because their bodies have no
 * meaning (OpenAPI 3.0.3, RFC 9110 §9.3.1).
 */
function bodyOf(
  { loaded, diagnostics }: Building,
  { at, method }: FoundOperation,
  parameters: readonly Parameter[],
  build: BuildSchema,
): RequestBody | undefined {
  const reference = member(at, 'requestBody')
  const body = reference && follow(loaded, reference)
  const contents = body ? contentsOf(loaded, diagnostics, member(body, 'content'), build) : []
  const content = contents.find(({ kind }) => kind === 'json') ?? contents[0]
  if (!body || !content || method === 'get' || method === 'head') return undefined
  const isTagged = contents.length > 1 || isRange(content.type)
  const isUpdate = parameters.some(({ in: place, name }) => place === 'query' && name === 'update_mask')
  return {
    required: flag(body, 'required'),
    description: text(body, 'description'),
    content,
    contents,
    isTagged,
    isPatch: method === 'patch',
    view: isUpdate && !isTagged ? 'update' : 'input',
  }
}

function answerOf({ successes }: Responses, list: ListTrait | undefined): Operation['answer'] {
  const [success] = successes
  if (!success || successes.length > 1 || success.headers.length > 0) return 'replies'
  if (list) return 'page'
  if (typeof success.status !== 'number') return 'replies'
  return success.content ? 'value' : 'empty'
}

const modeOf = (mode: string | undefined): Operation['mode'] =>
  (['sync', 'async', 'data'] as const).find(known => known === mode)

/** Whether the 200 or 202 response is an operation record, which clients can wait for. */
function answersRecord({ loaded }: Building, { at }: FoundOperation): boolean {
  const responses = member(at, 'responses')
  return ['200', '202'].some(status => {
    const reference = responses && member(responses, status)
    const response = reference && follow(loaded, reference)
    return members(response && member(response, 'content')).some(([, media]) => {
      const schema = member(media, 'schema')
      return schema !== undefined && isOperationRecord(loaded, schema)
    })
  })
}
