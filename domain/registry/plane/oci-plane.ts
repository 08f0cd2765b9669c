import { rawBytes } from '../../../runtime/body.ts'
import { bind } from '../../../runtime/bind.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ErrorDomain } from '../../../runtime/errors.ts'
import type { Parameter, ParameterType } from '../../../runtime/parameters/types.ts'
import type { BoundRoute, Method, Route } from '../../../runtime/route.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import type { DataPlane } from '../../ports/data-planes.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { maxManifestBytes } from '../manifests/parse-manifest.ts'
import { appendUpload, cancelUpload, endUpload, readUpload } from './blob-upload.ts'
import { deleteBlob } from './delete-blob.ts'
import { deleteManifest } from './delete-manifest.ts'
import { issueOauthToken, issueToken } from './issue-token.ts'
import { startOrMount } from './mount-blob.ts'
import { renderOciError } from './oci-errors.ts'
import { jsonReply, type PlaneReply } from './plane-call.ts'
import { planeDoors } from './plane-doors.ts'
import { pushManifest } from './push-manifest.ts'
import { readBlob } from './read-blob.ts'
import { readCatalog } from './read-catalog.ts'
import { readManifest } from './read-manifest.ts'
import { readReferrers } from './read-referrers.ts'
import { readTags } from './read-tags.ts'

/** The largest body of bytes: any. The handlers refuse a blob beyond the quotas by their own errors. */
const maxBodyBytes = Number.MAX_VALUE

/** The largest form of a request for a token, in bytes. */
const maxFormBytes = 65_536

/** The minimal speed of an upload: an idle client is cut off after a minute. */
const pace = { bytesPerSecond: 1, overMs: 60_000 } as const

/** Answers a request of the plane, whose members are the texts of its parameters. */
type Handle<Request> = (environment: RegistryEnvironment, request: Request, context: CallContext) => Promise<PlaneReply>

/** A route of the plane. */
interface Declared<Request> {
  readonly operationId: string
  readonly method: Method
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, ParameterType>>
  readonly headers?: readonly string[]
  /** The largest body in bytes, for a route that takes bytes. */
  readonly maxBytes?: number
  readonly handle: Handle<Request>
}

/** The type of a parameter that may be repeated. */
const texts: ParameterType = { array: 'string' }

const named = (rest: string, ...more: readonly string[]): readonly string[] => ['/v2/', 'name', rest, ...more]
const uploads = named('/blobs/uploads/', 'upload')
const blobs = named('/blobs/', 'digest')
const manifests = named('/manifests/', 'reference')
const pages = { n: 'string', last: 'string' } as const
const uploadHeaders = ['content-length', 'content-range']
const upload = { headers: uploadHeaders, maxBytes: maxBodyBytes } as const
/** Clients that recover from a refused last chunk ask for the upload with the query of that call. */
const ended = { digest: 'string' } as const

/** Returns the routes of OCI distribution 1.1 below `/v2/`, and the token server (registry.md 3). */
const routesOf = (declare: <Request>(route: Declared<Request>) => BoundRoute): readonly BoundRoute[] => [
  declare({ operationId: 'checkRegistry', method: 'GET', path: ['/v2/'], handle: async () => jsonReply({}) }),
  declare({
    operationId: 'issueToken',
    method: 'GET',
    path: ['/v2/_token'],
    query: { service: 'string', scope: texts, account: 'string', client_id: 'string', offline_token: 'string' },
    headers: ['authorization'],
    handle: issueToken,
  }),
  declare({
    operationId: 'issueOauthToken',
    method: 'POST',
    path: ['/v2/_token'],
    maxBytes: maxFormBytes,
    handle: issueOauthToken,
  }),
  declare({
    operationId: 'readCatalog',
    method: 'GET',
    path: ['/v2/_catalog'],
    query: { ...pages, after: 'string' },
    handle: readCatalog,
  }),
  declare({ operationId: 'readBlob', method: 'GET', path: blobs, headers: ['range'], handle: readBlob }),
  declare({ operationId: 'deleteBlob', method: 'DELETE', path: blobs, handle: deleteBlob }),
  declare({
    operationId: 'startBlobUpload',
    method: 'POST',
    path: named('/blobs/uploads/'),
    query: { digest: 'string', mount: 'string', from: 'string', 'digest-algorithm': 'string' },
    ...upload,
    handle: startOrMount,
  }),
  declare({ operationId: 'readBlobUpload', method: 'GET', path: uploads, query: ended, handle: readUpload }),
  declare({
    operationId: 'appendBlobUpload',
    method: 'PATCH',
    path: uploads,
    query: ended,
    ...upload,
    handle: appendUpload,
  }),
  declare({
    operationId: 'finishBlobUpload',
    method: 'PUT',
    path: uploads,
    query: ended,
    ...upload,
    handle: endUpload,
  }),
  declare({ operationId: 'cancelBlobUpload', method: 'DELETE', path: uploads, query: ended, handle: cancelUpload }),
  declare({ operationId: 'readManifest', method: 'GET', path: manifests, handle: readManifest }),
  declare({
    operationId: 'pushManifest',
    method: 'PUT',
    path: manifests,
    query: { tag: texts },
    headers: ['content-type'],
    maxBytes: maxManifestBytes,
    handle: pushManifest,
  }),
  declare({ operationId: 'deleteManifest', method: 'DELETE', path: manifests, handle: deleteManifest }),
  declare({ operationId: 'readTags', method: 'GET', path: named('/tags/list'), query: pages, handle: readTags }),
  declare({
    operationId: 'readReferrers',
    method: 'GET',
    path: named('/referrers/', 'digest'),
    query: { artifactType: 'string', ...pages },
    handle: readReferrers,
  }),
]

/** Returns the plane `/v2/`, at which OCI clients push and pull. */
export const ociPlane = (domain: ErrorDomain, environment: RegistryEnvironment): DataPlane => ({
  prefix: '/v2',
  routes: routesOf(declared => boundRoute(domain, environment, declared)),
  doors: () => planeDoors(environment),
  around: withVersion,
  renderError: renderOciError,
  maxBytes: maxBodyBytes,
  pace,
})

function boundRoute<Request>(
  domain: ErrorDomain,
  environment: RegistryEnvironment,
  { handle, headers = [], maxBytes, method, operationId, path, query = {} }: Declared<Request>,
): BoundRoute {
  const parameters: readonly Parameter[] = [
    ...path.filter((_, index) => index % 2 === 1).map(name => ({ name, in: 'path', type: 'string' }) as const),
    // Clients that read from a mirror say the registry that they mean.
    ...Object.entries({ ns: 'string', ...query } as const).map(
      ([name, type]) => ({ name, in: 'query', type }) as const,
    ),
    ...headers.map(name => ({ name, in: 'header', type: 'string' }) as const),
  ]
  const route: Route<Request, PlaneReply> = {
    operationId,
    method,
    path,
    ...(path.includes('name') && { catchAll: 'name' }),
    parameters,
    ...(maxBytes !== undefined && { body: { type: '*/*', kind: rawBytes, required: false, maxBytes } }),
    success: [{ status: 'default', type: 'application/octet-stream', kind: rawBytes }],
    replies: true,
    domain,
    // The doors of the plane check tokens of the registry instead of those of the platform.
    access: { kind: 'public' },
    // The reader of the parameters makes the members, each a text or a list of texts.
    check: (request): request is Request => isRecord(request),
  }
  return bind(route, (request, context) => handle(environment, request, context))
}

/** Adds the header by which Docker clients recognise a registry to every answer. */
const withVersion =
  (dispatch: Dispatch): Dispatch =>
  async request => {
    const answer = await dispatch(request)
    answer.headers['docker-distribution-api-version'] = 'registry/2.0'
    return answer
  }
