import { rawBytes } from '../../../runtime/body.ts'
import { bind } from '../../../runtime/bind.ts'
import type { ErrorDomain } from '../../../runtime/errors.ts'
import type { Parameter } from '../../../runtime/parameters/types.ts'
import type { BoundRoute, Route } from '../../../runtime/route.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { DataPlane } from '../../ports/data-planes.ts'
import type { StorageEnvironment } from '../environment.ts'
import { dataPrefix } from '../objects/object-path.ts'
import { ownQuery } from '../presigned/sign-url.ts'
import { signatureQuery } from '../presigned/url-signature.ts'
import { partQuery } from '../uploads/part-urls.ts'
import { counted } from './count-traffic.ts'
import { withCors } from './cors.ts'
import { getObject, type GetReply } from './get-object.ts'
import { renderPlaneError, sound } from './plane-errors.ts'
import { allowedCall, planeDoors } from './plane-doors.ts'
import { putObject, type PutReply } from './put-object.ts'
import { uploadPart } from './put-part.ts'

/** The largest body in bytes: any. The handlers refuse a body beyond the limits of the bucket by their own errors. */
const maxBodyBytes = Number.MAX_VALUE

/** The minimal speed of an upload: an idle client is cut off after a minute. */
const pace = { bytesPerSecond: 1, overMs: 60_000 } as const

const parameter = (name: string, place: 'path' | 'query'): Parameter => ({ name, in: place, type: 'string' })

const path = [parameter('bucket', 'path'), parameter('object', 'path')]

const signature = [...Object.values(signatureQuery), ownQuery.principal].map(name => parameter(name, 'query'))

const readParameters = [
  'versionId',
  'response-content-type',
  'response-content-disposition',
  'response-cache-control',
].map(name => parameter(name, 'query'))

const writeParameters = [ownQuery.maxLength, ...Object.values(partQuery)].map(name => parameter(name, 'query'))

/**
 * Returns the plane `/storage-data/v1/<bucket>/<object>`: the content of objects, over presigned URLs alone (storage.md
 * 4.3 to 4.5).
 */
export function objectPlane(domain: ErrorDomain, environment: StorageEnvironment): DataPlane {
  return {
    prefix: dataPrefix,
    routes: [readRoute(domain, environment), writeRoute(domain, environment)],
    doors: () => planeDoors(environment),
    around: dispatch => withCors(environment.store, dispatch),
    renderError: renderPlaneError,
    maxBytes: maxBodyBytes,
    pace,
  }
}

const shared = (domain: ErrorDomain) =>
  ({
    path: [`${dataPrefix}/`, 'bucket', '/', 'object'],
    catchAll: 'object',
    replies: true,
    domain,
    // The doors of the plane check the signature of the URL instead of a token.
    access: { kind: 'public' },
    check: (request: unknown): request is object => isRecord(request),
  }) as const

function readRoute(domain: ErrorDomain, environment: StorageEnvironment): BoundRoute {
  const { traffic } = environment
  const route: Route<object, GetReply> = {
    ...shared(domain),
    operationId: 'readContent',
    method: 'GET',
    parameters: [...path, ...signature, ...readParameters],
    success: [
      { status: 200, type: 'application/octet-stream', kind: rawBytes },
      { status: 206, type: 'application/octet-stream', kind: rawBytes },
      { status: 304 },
    ],
  }
  return bind(route, (_, context) => counted(traffic, context, () => sound(() => getObject(environment, context))))
}

function writeRoute(domain: ErrorDomain, environment: StorageEnvironment): BoundRoute {
  const { traffic } = environment
  const route: Route<object, PutReply> = {
    ...shared(domain),
    operationId: 'putObject',
    method: 'PUT',
    parameters: [...path, ...signature, ...writeParameters],
    body: { type: '*/*', kind: rawBytes, required: false },
    success: [{ status: 200 }],
  }
  return bind(route, (request, context) =>
    counted(traffic, context, () => sound(() => writeContent(environment, bodyOf(request), context))),
  )
}

/** Writes a part of an upload if the URL names an upload, and an object otherwise. */
const writeContent: typeof putObject = (environment, body, context) =>
  allowedCall(context).request.query[partQuery.upload] === undefined
    ? putObject(environment, body, context)
    : uploadPart(environment, body, context)

/** Returns the body of a request; a request without bytes has an empty body. */
function bodyOf(request: object): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { body }: { readonly body?: unknown } = request
  return body instanceof ReadableStream ? body : new Blob().stream()
}
