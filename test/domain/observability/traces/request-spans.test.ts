import { beforeAll, expect, it } from 'vitest'
import { RequestSpans } from '../../../../domain/observability/ingest/request-spans.ts'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import type { SpanBatch } from '../../../../domain/observability/traces/trace-engine.ts'
import type { Trace } from '../../../../output/observability/types.ts'
import type { LogEntry } from '../../../../runtime/outcome.ts'
import { afterTests } from '../../../undo.ts'
import { outcomeOf } from '../../outcomes.ts'
import { servedPlane, type ServedPlane } from '../ingest/served-plane.ts'

let served: ServedPlane

beforeAll(async () => {
  served = await servedPlane(afterTests)
})

const platform = { workspace: platformWorkspaceId, engine: 'native' } as const

/** Returns a trace of the platform once it is written. Each question is a call with a span, so the questions are few. */
async function traceOf(id: string): Promise<Trace> {
  const { observability } = served.api
  const outcome = () => outcomeOf(observability.getTrace({ ...platform, id }))
  await expect.poll(outcome, { interval: 1000, timeout: 60_000 }).toBe('OK')
  return observability.getTrace({ ...platform, id })
}

it('answered calls have spans in the traces of their callers or in their own, without what may be secret', async () => {
  const [trace, parent] = ['5b8efff798038103d269b633813fc60d', 'eee19b7ec3c1b174']
  const idIn = ({ headers }: Response): string => headers.get('traceparent')?.split('-')[1] ?? ''
  const probe = await fetch(`${served.url}/healthz`)
  const refused = await fetch(`${served.url}/taxonomy/v1/organisations/${trace}?secret=hidden`, {
    headers: { traceparent: `00-${trace}-${parent}-01`, authorization: 'Bearer hidden-token', 'user-agent': 'test' },
  })
  const authorization = `Bearer ${served.token}`
  const listed = await fetch(`${served.url}/taxonomy/v1/organisations`, { headers: { authorization } })
  expect(idIn(refused)).toBe(trace)

  const own = await traceOf(idIn(listed))
  expect(own).toMatchObject({ root_service: 'ninefold', span_count: 1, error_count: 0, partial: false })
  expect(own.spans[0]?.attributes).toHaveProperty('user.id')

  const found = await traceOf(trace)
  expect(found).toMatchObject({
    span_count: 1,
    partial: true,
    spans: [
      {
        span_id: refused.headers.get('traceparent')?.split('-')[2],
        parent_span_id: parent,
        kind: 'OBSERVABILITY_SPAN_KIND_SERVER',
        service_name: 'ninefold',
        name: 'GET /taxonomy/v1/organisations/{id}',
        status: { code: 'OBSERVABILITY_SPAN_STATUS_UNSET' },
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/taxonomy/v1/organisations/{id}',
          'http.response.status_code': refused.status,
          'ninefold.operation_id': 'getOrganisation',
          'ninefold.request_id': refused.headers.get('x-request-id'),
          'error.type': 'TOKEN_INVALID',
        },
      },
    ],
  })
  expect(JSON.stringify(found)).not.toContain('hidden')

  // The probe was answered before the calls whose spans are there.
  const { observability } = served.api
  expect(await outcomeOf(observability.getTrace({ ...platform, id: idIn(probe) }))).toBe('TRACE_NOT_FOUND')
})

/** Returns the spans of calls whose engine and clock belong to the test, and the batches that were written. */
function spansOver(write: (batch: SpanBatch) => Promise<{ accepted: number }>, hasEngine = true) {
  const clock = { now: 0 }
  const faults: unknown[] = []
  const spans = new RequestSpans({
    clock: { now: () => clock.now },
    traces: { write: async (_workspace, batch) => ({ rejections: {}, message: '', ...(await write(batch)) }) },
    retentions: { of: async () => 1000 },
    hasEngine,
    failed: error => void faults.push(error),
  })
  const call = (status: number): LogEntry => ({
    requestId: 'r',
    traceId: 'a'.repeat(32),
    traceparent: { request: undefined, answer: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
    method: 'GET',
    path: '/x',
    operationId: 'getX',
    operation: undefined,
    principalId: undefined,
    clientAddress: '127.0.0.1',
    status,
    code: 'OK',
    reason: undefined,
    milliseconds: 1,
  })
  const record = (count: number, status = 200): void => {
    for (let i = 0; i < count; i += 1) spans.record(call(status))
  }
  return { clock, faults, record, spans }
}

it('calls above the rate are left out, and failures of the server have a rate of their own', () => {
  const { clock, record, spans } = spansOver(async ({ spans: { length } }) => ({ accepted: length }))
  record(150)
  expect(spans.count('left_out')).toBe(50)
  record(100, 503)
  expect(spans.count('left_out')).toBe(50)
  clock.now += 1000
  record(11)
  expect(spans.count('left_out')).toBe(51)
})

it('spans are taken by no other engine than that of this server', () => {
  const { record, spans } = spansOver(async () => ({ accepted: 0 }), false)
  record(1000)
  expect(spans.count('left_out')).toBe(0)
})
