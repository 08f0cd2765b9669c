import { bind, bindList } from '../../../runtime/bind.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { listParameters, type ListParameters, type Page } from '../../../runtime/pagination.ts'
import type { BoundRoute, Method, Route } from '../../../runtime/route.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { SampleOperation } from '../sample-area.ts'
import { namesList, yard, type Box, type Rack, type Tag } from './yard-kinds.ts'

/**
 * The path parameters of a call of the yard: `id` names a row, `box` the parent of a tag. A parameter that the path
 * lacks is empty.
 */
export interface YardPath {
  readonly workspace: string
  readonly engine: string
  readonly id: string
  readonly box: string
}

/** A call with a body, whose `name` is required. */
export interface YardCall extends YardPath {
  readonly body: Readonly<{
    name: string
    labels?: Readonly<Record<string, string>>
    rack_id?: string
    etag?: string
    region?: string
  }>
  readonly etag?: string
}

type YardList = YardPath & ListParameters
type Changes = Promise<Answer<SampleOperation>>

/** The handlers in the form of generated handlers: an interface for each resource. */
export interface YardHandlers {
  readonly racks: {
    createRack(request: YardCall, context: CallContext): Changes
    deleteRack(request: YardCall, context: CallContext): Changes
  }
  readonly boxes: {
    listBoxes(request: YardPath, context: ListContext): Promise<Page<Box>>
    createBox(request: YardCall, context: CallContext): Changes
    getBox(request: YardPath, context: CallContext): Promise<Answer<Box>>
    updateBox(request: YardCall, context: CallContext): Changes
    deleteBox(request: YardCall, context: CallContext): Changes
    sealBox(request: YardPath, context: CallContext): Changes
    shakeBox(request: YardPath, context: CallContext): Changes
    findBox(request: YardPath, context: CallContext): Promise<Answer<Box>>
  }
  readonly tags: {
    createTag(request: YardCall, context: CallContext): Changes
    listTags(request: YardPath, context: ListContext): Promise<Page<Tag>>
    getTag(request: YardPath, context: CallContext): Promise<Answer<Tag>>
  }
  readonly cranes: { getCrane(request: YardPath, context: CallContext): Promise<Answer<Rack>> }
}

const json = { type: 'application/json', kind: 'json' } as const
const place = ['/yard/v1/workspaces/', 'workspace', '/engines/', 'engine'] as const

function route<Request, Result>(
  operationId: string,
  method: Method,
  path: readonly string[],
  check: Route<Request, Result>['check'],
): Route<Request, Result> {
  const names = path.filter((_, index) => index % 2 === 1)
  return {
    operationId,
    method,
    path,
    parameters: names.map(name => ({ name, in: 'path', type: 'string' })),
    success: [{ status: 200, ...json }],
    domain: yard,
    access: { kind: 'permission', key: 'yard.things.any', class: 'WRITE', scope: 'path' },
    ...(method !== 'GET' && { mode: 'sync' as const }),
    check,
  }
}

const isPath = (request: unknown): request is YardPath => isRecord(request)
const isList = (request: unknown): request is YardList => isRecord(request)
const isDelete = (request: unknown): request is YardCall => isRecord(request)
const isCall: Route<YardCall, unknown>['check'] = (request, faults): request is YardCall =>
  (isRecord(request) && isRecord(request['body']) && typeof request['body']['name'] === 'string') ||
  faults.add('name', 'is required')

const body = { body: { ...json, required: true } } as const

const reading = <Result>(operationId: string, ...path: readonly string[]) =>
  route<YardPath, Result>(operationId, 'GET', path, isPath)
const listing = <Row>(operationId: string, member: string, ...path: readonly string[]) => {
  const one = route<YardList, Readonly<Record<string, readonly Row[]>>>(operationId, 'GET', path, isList)
  return { ...one, parameters: [...(one.parameters ?? []), ...listParameters], list: { member, fields: namesList } }
}
const verb = (operationId: string, ...path: readonly string[]) =>
  route<YardPath, SampleOperation>(operationId, 'POST', path, isPath)
const deleting = (operationId: string, ...path: readonly string[]) =>
  route<YardCall, SampleOperation>(operationId, 'DELETE', path, isDelete)
const writing = (operationId: string, method: Method, ...path: readonly string[]) => ({
  ...route<YardCall, SampleOperation>(operationId, method, path, isCall),
  ...body,
})

/** Returns the routes of the yard. */
export const yardRoutes = ({ boxes, cranes, racks, tags }: YardHandlers): readonly BoundRoute[] => [
  bind(writing('createRack', 'POST', ...place, '/racks'), (...call) => racks.createRack(...call)),
  bind(deleting('deleteRack', ...place, '/racks/', 'id'), (...call) => racks.deleteRack(...call)),
  bindList(listing<Box>('listBoxes', 'boxes', ...place, '/boxes'), (...call) => boxes.listBoxes(...call)),
  bind(writing('createBox', 'POST', ...place, '/boxes'), (...call) => boxes.createBox(...call)),
  bind(reading<Box>('getBox', ...place, '/boxes/', 'id'), (...call) => boxes.getBox(...call)),
  bind(writing('updateBox', 'PATCH', ...place, '/boxes/', 'id'), (...call) => boxes.updateBox(...call)),
  bind(deleting('deleteBox', ...place, '/boxes/', 'id'), (...call) => boxes.deleteBox(...call)),
  bind(verb('sealBox', ...place, '/boxes/', 'id', ':seal'), (...call) => boxes.sealBox(...call)),
  bind(verb('shakeBox', ...place, '/boxes/', 'id', ':shake'), (...call) => boxes.shakeBox(...call)),
  bind(reading<Box>('findBox', '/yard/v1/boxes/', 'id'), (...call) => boxes.findBox(...call)),
  bind(writing('createTag', 'POST', ...place, '/boxes/', 'box', '/tags'), (...call) => tags.createTag(...call)),
  bindList(listing<Tag>('listTags', 'tags', ...place, '/boxes/', 'box', '/tags'), (...call) => tags.listTags(...call)),
  bind(reading<Tag>('getTag', ...place, '/boxes/', 'box', '/tags/', 'id'), (...call) => tags.getTag(...call)),
  bind(reading<Rack>('getCrane', '/yard/v1/cranes/', 'id'), (...call) => cranes.getCrane(...call)),
]
