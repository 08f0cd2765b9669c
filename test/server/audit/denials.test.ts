import { describe, expect, it } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Route } from '../../../runtime/route.ts'
import { Faults } from '../../../runtime/validation.ts'
import type { WireRequest } from '../../../runtime/wire.ts'
import { permissionDeniedReason } from '../../../domain/resources/permission-denied.ts'
import { denials } from '../../../server/audit/denials.ts'
import { outbox, type OutboxRow } from '../../../domain/resources/activity-outbox.ts'
import { outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { logLines } from '../operations/work-bench.ts'
import { sample } from '../sample-area.ts'
import { testStore } from '../store/harness.ts'

const route: Route<object, object> = {
  operationId: 'getCrate',
  method: 'GET',
  path: ['/sample/v1/crates/c-1'],
  success: [{ status: 200, type: 'application/json', kind: 'json' }],
  domain: sample,
  access: { kind: 'permission', key: 'sample.crates.get', class: 'READ', scope: 'row' },
  check: (request): request is object => typeof request === 'object',
}

const context: CallContext = {
  principal: { id: 'p-1', kind: 'user' },
  operation: { area: 'sample', operationId: 'getCrate', permission: 'sample.crates.get' },
  method: 'GET',
  path: '/sample/v1/crates/c-1',
  requestId: 'r-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  idempotencyKey: undefined,
  clientAddress: '192.0.2.7',
  signal: new AbortController().signal,
  now: 0,
}

const denied = new ApiError(permissionDeniedReason, 'permission denied', {
  permission: 'sample.crates.get',
  scope_type: 'GROUP',
  scope_id: 'g-1',
})

const absent = new ApiError({ reason: 'CRATE_NOT_FOUND', rpc: 'NOT_FOUND', code: 5_001_001 }, 'no such crate')

const wire: WireRequest = {
  method: 'GET',
  target: '/',
  headers: {},
  body: undefined,
  signal: new AbortController().signal,
  clientAddress: '',
}

/**
 * Returns functions that make a request that is refused at the door, by the handler, or for its token; the store may be
 * closed already.
 */
function refusing(store: ServerStore, error: Error) {
  const log = logLines()
  const { watch, watchRoute } = denials(store, outboxAudit(createClock(), { chain: async () => undefined }), log)
  const reject = (): Promise<never> => Promise.reject(error)
  const { authorize, authenticate } = watch({ authenticate: reject, authorize: reject })
  const { run } = watchRoute(bind(route, reject))
  return {
    log,
    door: () => authorize(context, route, new Map()),
    handler: () => run({}, new Faults(), context),
    token: () => authenticate(wire, route.access),
  }
}

async function rows(store: ServerStore): Promise<OutboxRow[]> {
  const found: OutboxRow[] = []
  for await (const { value } of store.each(outbox)) found.push(value)
  return found
}

describe.each(['door', 'handler'] as const)('a call that is denied by the %s', by => {
  it('is recorded, and denied', async () => {
    const store = await testStore(outbox)
    await expect(refusing(store, denied)[by]()).rejects.toBe(denied)
    expect(await rows(store)).toMatchObject([
      {
        category: 'ACCESS_DENIED',
        outcome: 'DENIED',
        reason: 'IAM_PERMISSION_DENIED',
        area: 'sample',
        action: 'getCrate',
        permission: 'sample.crates.get',
        resource_type: 'sample.crates',
        resource_id: '',
        scope_type: 'GROUP',
        scope_id: 'g-1',
        principal_id: 'p-1',
        principal_kind: 'USER',
        operation_id: '',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        request_id: 'r-1',
        client_ip: '192.0.2.7',
      },
    ])
  })

  it('is denied even if the record fails, which is logged', async () => {
    const store = await testStore(outbox)
    await store.close()
    const call = refusing(store, denied)
    await expect(call[by]()).rejects.toBe(denied)
    expect(call.log.lines).toMatchObject([{ level: 'error', message: 'a refusal could not be recorded' }])
  })

  it('for another reason is not recorded', async () => {
    const store = await testStore(outbox)
    await expect(refusing(store, absent)[by]()).rejects.toBe(absent)
    expect(await rows(store)).toEqual([])
  })
})

it('the denial of an unknown caller is not recorded', async () => {
  const store = await testStore(outbox)
  await expect(refusing(store, denied).token()).rejects.toBe(denied)
  expect(await rows(store)).toEqual([])
})
