import type { IamArea } from '../../../output/iam/area.ts'
import { expect, onTestFinished, test } from 'vitest'
import { feedCollections, servers } from '../../../domain/iam/collections/feed-store.ts'
import { LiveFeed } from '../../../domain/iam/feed/live-feed.ts'
import { mutateIam, settleProcedure, type MutationServices } from '../../../domain/iam/feed/iam-mutation.ts'
import type { Effect } from '../../../domain/ports/operations.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import { iam } from '../../../output/iam/errors.ts'
import { operationsList } from '../../../output/iam/filters.ts'
import type { IamOperation } from '../../../output/iam/types.ts'
import { checkIamOperation } from '../../../output/iam/validators.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { areaRecords, operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { settledOperations } from '../../../server/access/settled-operations.ts'
import { startWorkers, workCollections } from '../../../server/operations/workers.ts'
import { logLines, quick } from '../../server/operations/work-bench.ts'
import { storeAt, testPlace } from '../../server/store/harness.ts'

const records = operationsCollection<IamOperation>('iam', operationsList)
const collections = [...feedCollections, ...workCollections, outbox, rememberedKeys, records]
const clock = createClock()

interface Server extends MutationServices {
  readonly feed: LiveFeed
  /** The changes that the listener of the feed has received. */
  readonly told: readonly string[]
  /** Changes one role; `key` is the Idempotency-Key of the call. Returns the operation in the response. */
  revise(key?: string): Promise<IamOperation>
}

type Change = (tx: Transaction) => Promise<Effect<IamArea>>

/** Opens a server with mutations and workers; `isShared` is true if other servers may use the store. */
async function serverAt(place: string, isShared: boolean, steady?: () => number): Promise<Server> {
  const store = await storeAt(place, ...collections)
  const told: string[] = []
  const listener = { changed: (kind: string, key: string) => void told.push(`${kind} ${key}`), reset: () => undefined }
  const feed = new LiveFeed({
    store,
    clock,
    listeners: [listener],
    ...(isShared && { leases: { time: async () => Date.now() } }),
    ...(steady && { steady }),
  })
  await feed.start()
  onTestFinished(() => feed.stop())
  const [queue, log] = [new WorkQueue(), logLines()]
  queue.declare(areaRecords(iam, operationsList), [settleProcedure({ feed })])
  const audit = outboxAudit(clock, { chain: async () => undefined })
  const options = { domain: iam, list: operationsList, check: checkIamOperation }
  const operations = operationsOf<IamArea>({ store, clock, audit, queue }, options)
  const workers = await startWorkers({ store, clock, log, queue }, [], quick)
  onTestFinished(() => workers.stop())
  const parts = { store, operations, feed }
  const revise = async (key?: string): Promise<IamOperation> => {
    const run = async (tx: Transaction): Promise<Effect<IamArea>> => {
      await feed.hold(tx)
      await feed.revise(tx, 'ROLE', 'r')
      return { type: 'UPDATE', resourceType: 'iam.roles', resourceId: 'r', scope: { type: 'PLATFORM', id: '' } }
    }
    return JSON.parse((await mutateIam(parts, contextOf(key), { role: 'r' }, run)).text)
  }
  return { ...parts, told, revise }
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

test('a mutation is DONE immediately without other servers', async () => {
  const place = await testPlace()
  for (const isShared of [false, true]) {
    const { revise } = await serverAt(place, isShared)
    expect(await revise()).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE', progress: 100 })
  }
})

test('a mutation is DONE when the other server has applied the change', async () => {
  const place = await testPlace()
  const [one, two] = [await serverAt(place, true), await serverAt(place, true)]
  // Either server may be the first to find that all servers have applied the change.
  for (let changes = 1; changes <= 5; changes += 1) {
    expect(await one.revise()).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE' })
    expect(two.told).toHaveLength(changes)
  }
})

test('a mutation that a server has not applied is RUNNING, and ends when the server has applied it', async () => {
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

/** Runs the step that ends an operation after all servers have applied the change; returns the result of the step. */
const settling = (feed: Pick<LiveFeed, 'isSettled'>, revision = 1) =>
  settleProcedure({ feed } as never).steps[0]?.run({ input: { revision } } as never)

test('the wait for other servers yields its place to other work', async () => {
  const { feed, revise, store } = await serverAt(await testPlace(), true)
  await store.tx(tx => tx.insert(servers, { id: 'somebody', applied_rev: 0, lease_until: Date.now() + 600_000 }))
  const waiting = feed.settled(1)
  expect(await settling(feed)).toMatchObject({ kind: 'again' })
  // The request is still waiting when the step has returned.
  expect(await Promise.race([waiting, 'waiting'])).toBe('waiting')
  expect((await revise()).status).toBe('IAM_OPERATION_STATUS_RUNNING')
})

test('the wait for other servers continues while their state is unknown', async () => {
  const cause = new Error('the store is away')
  const outcome = await settling({ isSettled: () => Promise.reject(cause) })
  expect(outcome).toMatchObject({ kind: 'again', cause })
})

test('a server that finds that all servers have applied a change has applied the change itself', async () => {
  const place = await testPlace()
  const [one, two] = [await serverAt(place, true), await serverAt(place, true)]
  await one.store.tx(async tx => {
    await one.feed.hold(tx)
    await one.feed.revise(tx, 'ROLE', 'r')
    const { serverId } = one.feed
    const lease = await tx.lock(servers, serverId)
    if (lease) await tx.update(servers, serverId, { ...lease.value, applied_rev: 1 }, lease.version)
  })
  expect(await two.feed.isSettled(1)).toBe(true)
  expect(two.told).toEqual(['ROLE r'])
})

test.each([
  ['iam', (server: Server) => (run: Change) => mutateIam(server, contextOf(undefined), {}, run)],
  [
    'another area',
    ({ feed, operations }: Server) =>
      (run: Change) =>
        settledOperations(operations, feed).mutate(contextOf(undefined), {}, run),
  ],
] as const)('a mutation of %s has no effect if its process was paused for longer than its lease', async (_, of) => {
  let stoppedMs = 0
  const server = await serverAt(await testPlace(), true, () => performance.now() + stoppedMs)
  const mutate = of(server)
  const made = async (tx: Transaction): Promise<Effect<IamArea>> => {
    await server.feed.hold(tx)
    await server.feed.revise(tx, 'ROLE', 'r')
    return { type: 'UPDATE', resourceType: 'iam.roles', resourceId: 'r', scope: { type: 'PLATFORM', id: '' } }
  }
  await mutate(made)
  const [before, told] = [await server.store.count(records), server.told.length]
  const late = mutate(async tx => {
    const effect = await made(tx)
    stoppedMs += 3000
    return effect
  })
  await expect(late).rejects.toMatchObject({ reason: 'AUTHORIZATION_STALE' })
  expect([await server.store.count(records), server.told.length]).toEqual([before, told])
  await expect.poll(() => server.feed.isStale, { timeout: 10_000 }).toBe(false)
  await mutate(made)
})
