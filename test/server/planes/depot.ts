import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { rawBytes } from '../../../runtime/body.ts'
import { bind } from '../../../runtime/bind.ts'
import { ApiError, type ErrorDomain } from '../../../runtime/errors.ts'
import type { BoundRoute, Method, Reply, Route } from '../../../runtime/route.ts'
import { rpcOfHttp, type RenderError } from '../../../runtime/status.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import type { AreaEnvironment } from '../../../server/area-parts.ts'
import type { DataPlane } from '../../../domain/ports/data-planes.ts'
import { handwritten, type SampleArea } from '../sample-area.ts'
import type { Parameter } from '../../../runtime/parameters/types.ts'

/** The error domain of a handwritten area that has only data planes. */
export const depotDomain: ErrorDomain = { name: 'depot', base: 9_000_000 }

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>
type Headers = Readonly<Record<string, string>>

/** The input of a call: the parameters of its path, and its body. */
interface Sent {
  readonly name: string
  readonly reference: string
  readonly body?: Bytes
}

/** The observed facts of a depot's streams, and the gate of its uploads. */
export interface DepotWatch {
  /** The number of bytes that downloads have produced (`pulled`) and that uploads have read (`taken`). */
  pulled: number
  taken: number
  /** The number of downloads that the client abandoned before their end. */
  left: number
  /** The signals of uploads. */
  readonly signals: AbortSignal[]
  /** The gate that an upload awaits before each chunk. */
  gate: () => Promise<void>
}

export const depotWatch = (): DepotWatch => ({ pulled: 0, taken: 0, left: 0, signals: [], gate: async () => {} })

/** The error codes of the OCI distribution specification that the depot uses, keyed by HTTP status. */
const ociCodes: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'DENIED',
  404: 'NAME_UNKNOWN',
  405: 'UNSUPPORTED',
  413: 'SIZE_INVALID',
  429: 'TOOMANYREQUESTS',
}

/** Renders an error in the form of the OCI distribution specification. */
export const asOci: RenderError = ({ status, headers }, { message, reason }) => ({
  status,
  headers,
  body: JSON.stringify({ errors: [{ code: ociCodes[status] ?? 'UNKNOWN', message, detail: { reason } }] }),
})

/** Makes a plane like a registry of blobs; the blob with the name `<n>` has n bytes. */
export function depotPlane(watch = depotWatch(), more: Partial<DataPlane> = {}): DataPlane {
  return { prefix: '/v2', routes: depotRoutes(watch), renderError: asOci, maxBytes: 1_000_000_000, ...more }
}

/** Makes an area with planes. */
export function depotArea(
  planes: (parts: AreaEnvironment<SampleArea>) => readonly DataPlane[] = () => [depotPlane()],
): AreaModule {
  return area({
    generated: handwritten(depotDomain),
    functions: { taxonomy: taxonomyFunctions },
    handlers: () => [],
    planes,
  })
}

const text = (name: string): Parameter => ({ name, in: 'path', type: 'string' })

/** Makes a route that is open to all callers and may respond with any status and bytes. */
export function depotRoute<Answer>(
  method: Method,
  operationId: string,
  path: readonly string[],
  more: Partial<Omit<Route<Sent, Answer>, 'complete'>> = {},
): Route<Sent, Answer> {
  return {
    operationId,
    method,
    path,
    parameters: path.filter((_, index) => index % 2 === 1).map(text),
    ...(path.includes('name') && { catchAll: 'name' }),
    success: [{ status: 'default', type: 'application/octet-stream', kind: rawBytes }],
    replies: true,
    domain: depotDomain,
    access: { kind: 'public' },
    check: (request): request is Sent => isRecord(request),
    ...more,
  }
}

const upload = { type: '*/*', kind: rawBytes, required: false } as const

function depotRoutes(watch: DepotWatch): readonly BoundRoute[] {
  const none = { status: 200, headers: {}, body: new Uint8Array() } as const
  return [
    bind(depotRoute('GET', 'depotBase', ['/v2/']), async () => none),
    bind(depotRoute('GET', 'depotMemory', ['/v2/_memory']), async () => ({
      status: 200,
      body: new TextEncoder().encode(String(process.memoryUsage.rss())),
    })),
    bind(depotRoute('GET', 'getBlob', ['/v2/', 'name', '/blobs/', 'reference']), async ({ reference }) =>
      blob(Number(reference), watch),
    ),
    bind(depotRoute('DELETE', 'deleteBlob', ['/v2/', 'name', '/blobs/', 'reference']), async () => ({ status: 202 })),
    bind(
      depotRoute('PUT', 'putBlob', ['/v2/', 'name', '/blobs/uploads/', 'reference'], { body: upload }),
      async ({ name, body }, { signal }) => {
        watch.signals.push(signal)
        let size = 0
        for await (const chunk of body ?? []) {
          size += chunk.length
          watch.taken += chunk.length
          await watch.gate()
        }
        const location = `/v2/${name}/blobs/${size}`
        return { status: 201, headers: { location, 'x-name': name }, body: new TextEncoder().encode(String(size)) }
      },
    ),
    bind(
      depotRoute('PUT', 'putManifest', ['/v2/', 'name', '/manifests/', 'reference'], {
        body: { ...upload, maxBytes: 4096 },
      }),
      async ({ body }) => {
        for await (const chunk of body ?? []) watch.taken += chunk.length
        return { status: 201 }
      },
    ),
    bind(depotRoute('GET', 'getTags', ['/v2/', 'name', '/tags/list']), async ({ name }) => {
      throw new ApiError({ reason: 'REPOSITORY_NOT_FOUND', rpc: rpcOfHttp(404) }, `there is no repository "${name}"`)
    }),
  ]
}

const pieceBytes = 65_536

/** Returns a blob whose bytes are produced as the client reads them. */
function blob(size: number, watch: DepotWatch): Reply<number, Bytes, Headers> {
  let left = size
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (left === 0) return controller.close()
        const piece = new Uint8Array(Math.min(pieceBytes, left))
        left -= piece.length
        watch.pulled += piece.length
        controller.enqueue(piece)
      },
      cancel: () => void (watch.left += 1),
    },
    { highWaterMark: 0 },
  )
  return { status: 200, headers: { 'content-length': String(size), 'docker-content-digest': `size:${size}` }, body }
}
