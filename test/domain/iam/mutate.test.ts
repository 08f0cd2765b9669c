import { expect, onTestFinished, test } from 'vitest'
import { feedCollections, servers } from '../../../domain/iam/feed-store.ts'
import { LiveFeed } from '../../../domain/iam/live-feed.ts'
import { mutateIam, settleProcedure, type MutationParts } from '../../../domain/iam/mutate.ts'
import type { Effect } from '../../../domain/ports/operations.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList } from '../../../output/iam/filters.ts'
import type { IamOperation } from '../../../output/iam/types.ts'
import { checkIamOperation } from '../../../output/iam/validators.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { outbox, outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { areaRecords, operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { startWorkers, workCollections } from '../../../server/operations/workers.ts'
import { logLines, quick } from '../../server/operations/work-bench.ts'
import { storeAt, testPlace } from '../../server/store/harness.ts'

const records = operationsCollection<IamOperation>('iam', operationsList)
const collections = [...feedCollections, ...workCollections, outbox, rememberedKeys, records]
const clock = createClock()

interface Server extends MutationParts {
  readonly feed: LiveFeed
  /** Revises one role. */
  revise(key?: string): Promise<IamOperation>
}

/** A server that mutates and works; `isShared` says whether others may be on the store. */
async function serverAt(place: string, isShared: boolean): Promise<Server> {
  const store = await storeAt(place, ...collections)
  const feed = new LiveFeed({ store, clock, listeners: [], ...(isShared && { time: async () => Date.now() }) })
  await feed.start()
  onTestFinished(() => feed.stop())
  const [queue, log] = [new WorkQueue(), logLines()]
  queue.declare(areaRecords(iam, operationsList), [settleProcedure({ feed })])
  const audit = outboxAudit(clock, { chain: async () => undefined })
  const options = { domain: iam, list: operationsList, check: checkIamOperation }
  const operations = operationsOf<IamOperation>({ store, clock, audit, queue }, options)
  const workers = await startWorkers({ store, clock, log, queue }, [], quick)
  onTestFinished(() => workers.stop())
  const parts = { store, operations, feed }
  const revise = async (key?: string): Promise<IamOperation> => {
    const run = async (tx: Transaction): Promise<Effect> => {
      await feed.hold(tx)
      await feed.revise(tx, 'ROLE', 'r')
      return { type: 'UPDATE', resourceType: 'iam.roles', resourceId: 'r', scope: { type: 'PLATFORM', id: '' } }
    }
    return JSON.parse((await mutateIam(parts, contextOf(key), { role: 'r' }, run)).text)
  }
  return { ...parts, revise }
}

const contextOf = (idempotencyKey: string | undefined): CallContext => ({
  principal: { id: '00000000-0000-7000-8000-000000000009', kind: 'user' },
  operation: { area: 'iam', operationId: 'updateRole', permission: 'iam.roles.update' },
  path: '/iam/v1/roles/r',
  method: 'PATCH',
  requestId: '',
  traceId: '',
  idempotencyKey,
  clientAddress: '127.0.0.1',
  signal: new AbortController().signal,
  now: clock.now(),
})

test('a mutation is DONE at once where no other server is', async () => {
  const place = await testPlace()
  for (const isShared of [false, true]) {
    const { revise } = await serverAt(place, isShared)
    expect(await revise()).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE', progress: 100 })
  }
})

test('a mutation is DONE when the other server follows', async () => {
  const place = await testPlace()
  const [one, two] = [await serverAt(place, true), await serverAt(place, true)]
  const operation = await one.revise()
  expect(operation).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE' })
  const stored = await two.store.get(servers, two.feed.serverId)
  expect(stored?.value.applied_rev).toBe(1)
})

test('a mutation that a server does not follow is answered RUNNING, and ends when it does', async () => {
  const one = await serverAt(await testPlace(), true)
  const lease = { id: 'somebody', applied_rev: 0, lease_until: Date.now() + 600_000 }
  await one.store.tx(tx => tx.insert(servers, lease))
  const operation = await one.revise('k')
  expect(operation.status).toBe('IAM_OPERATION_STATUS_RUNNING')
  await one.store.tx(async tx => {
    const stored = await tx.lock(servers, 'somebody')
    await tx.update(servers, 'somebody', { ...lease, applied_rev: 1 }, stored?.version ?? 0)
  })
  expect(await one.revise('k')).toMatchObject({ id: operation.id, status: 'IAM_OPERATION_STATUS_DONE' })
})
