import { bind } from '../../../runtime/bind.ts'
import { rawBytes } from '../../../runtime/body.ts'
import { unimplemented, type ErrorDomain } from '../../../runtime/errors.ts'
import type { BoundRoute, Route } from '../../../runtime/route.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { DataPlane } from '../../ports/data-planes.ts'
import { planeDoors } from './plane-doors.ts'
import { renderPlaneError } from './plane-errors.ts'
import type { PlaneParts } from './plane-parts.ts'
import { withProtobufErrors } from './protobuf-answers.ts'
import { receiveMetrics, receiveRemoteWrite } from './receive-metrics.ts'
import type { PushReply, PushRequest, Receive } from './receive.ts'
import { takingConfig, type Signal } from './taking-config.ts'

/** The largest body in bytes: any. The plane refuses a body of more than 64 MiB by its own error. */
const maxBodyBytes = Number.MAX_VALUE

/** The minimal speed of an upload: an idle sender is cut off after a minute. */
const pace = { bytesPerSecond: 1, overMs: 60_000 } as const

/** The ends of the paths of the plane, with the operation of each. */
const paths: Readonly<Record<string, { readonly operationId: string; readonly receive: Receive }>> = {
  '/v1/metrics': { operationId: 'pushMetrics', receive: receiveMetrics },
  '/v1/logs': { operationId: 'pushLogs', receive: unbuilt('LOGS', 'pushLogs') },
  '/v1/traces': { operationId: 'pushTraces', receive: unbuilt('TRACES', 'pushTraces') },
  '/api/v1/write': { operationId: 'remoteWrite', receive: receiveRemoteWrite },
}

/** Answers the requests of a signal that the platform does not store yet, after the checks of every request. */
function unbuilt(signal: Signal, operationId: string): Receive {
  return async (parts, _request, context) => {
    await takingConfig(parts, context, 'otlp', signal)
    throw unimplemented(operationId)
  }
}

/** Returns the plane `/ingest/<ingestion config>`, at which senders push telemetry (observability.md 3). */
export const ingestPlane = (domain: ErrorDomain, parts: PlaneParts): DataPlane => ({
  prefix: '/ingest',
  routes: Object.entries(paths).map(([end, { operationId, receive }]) =>
    route(domain, parts, end, operationId, receive),
  ),
  doors: () => planeDoors(parts),
  around: withProtobufErrors,
  renderError: renderPlaneError,
  maxBytes: maxBodyBytes,
  pace,
})

function route(domain: ErrorDomain, parts: PlaneParts, end: string, operationId: string, receive: Receive): BoundRoute {
  const headers = ['content-type', 'content-encoding', 'content-length']
  const declared: Route<PushRequest, PushReply> = {
    operationId,
    method: 'POST',
    path: ['/ingest/', 'config', end],
    parameters: [
      { name: 'config', in: 'path', type: 'string' },
      ...headers.map(name => ({ name, in: 'header', type: 'string' }) as const),
    ],
    body: { type: '*/*', kind: rawBytes, required: false },
    success: [{ status: 200, type: 'application/octet-stream', kind: rawBytes }, { status: 204 }],
    replies: true,
    domain,
    // The doors of the plane check keys and tokens.
    access: { kind: 'public' },
    check: (request): request is PushRequest => isRecord(request),
  }
  return bind(declared, (request, context) => receive(parts, request, context))
}
