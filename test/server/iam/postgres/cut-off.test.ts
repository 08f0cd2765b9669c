import { setTimeout as nextTry } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { leaseMs } from '../../../../domain/iam/feed/leases.ts'
import { waitMs } from '../../../../domain/iam/feed/settling.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { Later } from '../../store/harness.ts'
import { startProxy, type Proxy } from '../../store/postgres/proxy.ts'
import { answersUntil, askedAt, permission } from '../asked.ts'
import { addMember, addTenant, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'

/** Two servers on one database; the second server connects through a proxy that can fail. */
interface Pair {
  readonly one: TestPlatform
  readonly other: TestPlatform
  readonly between: Proxy
  readonly ada: Member
  /** A viewer of the workspace, by the binding `binding`. */
  readonly kim: Member
  readonly binding: string
  readonly at: Tenant
}

async function pairOf(later: Later): Promise<Pair> {
  const one = await testPlatform({ later })
  const { storeUrl = '' } = one.config
  const between = await startProxy(storeUrl, later)
  const other = await testPlatform({ config: { storeUrl: between.url }, later })
  const ada = await one.admin()
  const at = await addTenant(ada.api, 'acme')
  const kim = await addMember(one, ada.api, { email: 'kim@acme.example', organisation_id: at.organisation })
  const binding = await bind(ada, kim, at)
  return { one, other, between, ada, kim, binding, at }
}

async function bind(ada: Member, { id }: Member, { workspace }: Tenant): Promise<string> {
  const body = { ...roleAt('workspace-viewer', 'WORKSPACE', workspace), principal_id: id }
  return (await ada.api.iam.createBinding({ body })).resource_id
}

/** Returns a function that asks a server of the pair about a caller's permission in the workspace. */
const asking =
  ({ at }: Pair) =>
  ({ as }: TestPlatform, { token }: Member): Promise<string> =>
    askedAt(as(token), at)

/** The time for which `decided` repeats a call, in milliseconds. */
const patienceMs = 60_000

/**
 * Repeats a call while the server refuses all callers with AUTHORIZATION_STALE, which a server that a busy machine has
 * stalled does for a moment.
 */
async function decided<T>(call: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    const outcome = await call().catch((error: unknown) => ({ error }))
    const isError = typeof outcome === 'object' && outcome !== null && 'error' in outcome
    const reason = isError && outcome.error instanceof ApiError ? outcome.error.reason : outcome
    if (reason !== 'AUTHORIZATION_STALE' || performance.now() > until) {
      if (isError) throw outcome.error
      return outcome as T
    }
    await nextTry(50)
  }
}

const isDone = { status: 'IAM_OPERATION_STATUS_DONE' }

describe.concurrent('a change that is DONE', () => {
  it('applies on the other server immediately, whatever its kind', async ({ onTestFinished }) => {
    const pair = await pairOf(onTestFinished)
    const { ada, at, kim, one, other } = pair
    const ask = asking(pair)
    const askedOn = (server: TestPlatform, member: Member) => decided(() => ask(server, member))
    const { workspace } = at
    const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
    const { iam } = ada.api
    const here = (token: string) => one.as(token).iam
    const role = await iam.createRole({
      body: { name: 'seer', scope_type: 'ORGANISATION', scope_id: at.organisation, permissions: [permission] },
    })
    const id = role.resource_id
    const deny = { effect: 'DENY' as const, principals: ['all'], permissions: [permission] }
    const policy = { name: 'closed', enabled: false, statements: [deny] }
    const closed = await iam.createPolicy({ workspace, body: policy })
    const enabled = (is: boolean) =>
      iam.updatePolicy({ workspace, id: closed.resource_id, update_mask: 'enabled', body: { enabled: is } })
    const permitted = (permissions: string[]) =>
      iam.updateRole({ id, update_mask: 'permissions', body: { permissions } })
    const grant = (role_id: string) => ({ ...scope, body: { principal_id: kim.id, role_ids: [role_id] } })
    const steps = [
      ['no', () => iam.deleteBinding({ id: pair.binding })],
      ['yes', () => iam.grantAccess(grant(id))],
      ['no', () => permitted([])],
      ['yes', () => permitted([permission])],
      ['no', () => enabled(true)],
      ['yes', () => enabled(false)],
      ['no', () => iam.revokeAccess(grant(id))],
      ['yes', () => iam.grantAccess(grant('workspace-viewer'))],
      ['TOKEN_REVOKED', () => here(kim.token).revokeToken({ body: { token: kim.refreshToken } })],
    ] as const
    expect(await askedOn(other, kim)).toBe('yes')
    for (const [answer, change] of steps) {
      expect(await decided<object>(change)).toMatchObject(isDone)
      expect(await askedOn(other, kim)).toBe(answer)
    }
    const again = await one.signedIn(kim.email)
    expect(await askedOn(other, again)).toBe('yes')
    expect(await iam.deactivateUser({ id: kim.id, body: {} })).toMatchObject(isDone)
    expect(await askedOn(other, again)).toBe('TOKEN_REVOKED')
  })

  it('applies on both of two servers that change alternately', async ({ onTestFinished }) => {
    const pair = await pairOf(onTestFinished)
    const { ada, at, kim, one, other } = pair
    const ask = asking(pair)
    const askedOn = (server: TestPlatform, member: Member) => decided(() => ask(server, member))
    const there = other.as(ada.token).iam
    let { binding } = pair
    for (let round = 0; round < 3; round += 1) {
      const held = binding
      expect(await decided(() => there.deleteBinding({ id: held }))).toMatchObject(isDone)
      expect(await askedOn(one, kim)).toBe('no')
      binding = await decided(() => bind(ada, kim, at))
      expect(await askedOn(other, kim)).toBe('yes')
    }
  })
})

/** The tolerance in milliseconds for late timers on a busy machine. */
const graceMs = 2000

// The tests run concurrently, because they mostly wait for leases and each test has its own database.
describe.concurrent.each([
  ['whose connections are cut', async ({ down }: Proxy) => down()],
  ['whose connections are silent', async ({ silence }: Proxy) => silence()],
] as const)('a server %s', (_, cut) => {
  it('serves no longer than its lease, and never by revoked permissions, until it applies changes again', async ({
    onTestFinished,
  }) => {
    const pair = await pairOf(onTestFinished)
    const { ada, at, between, binding, kim, one, other } = pair
    const askedOn = asking(pair)
    for (const each of [one, other]) expect(await askedOn(each, kim)).toBe('yes')
    await cut(between)
    const since = performance.now()
    const watching = answersUntil('AUTHORIZATION_STALE', () => askedOn(other, kim))
    const operation = await one.as(ada.token).iam.deleteBinding({ id: binding })
    const doneAt = performance.now()
    expect(await askedOn(one, kim)).toBe('no')
    const answers = await watching
    // The last renewal of the lease was not later than the cut of the connections.
    expect((answers.at(-1)?.asked ?? Infinity) - since).toBeLessThan(leaseMs + graceMs)
    if (operation.status !== 'IAM_OPERATION_STATUS_DONE') {
      expect(operation.status).toBe('IAM_OPERATION_STATUS_RUNNING')
      expect(doneAt - since).toBeGreaterThan(waitMs - 100)
    } else expect(answers.filter(({ answer, asked }) => answer === 'yes' && asked > doneAt)).toEqual([])
    expect(doneAt - since).toBeLessThan(waitMs + graceMs)
    const ended = () => one.as(ada.token).iam.getOperation({ id: operation.id })
    await answersUntil('IAM_OPERATION_STATUS_DONE', async () => (await ended()).status)
    // This server now refuses every caller, and changes no longer wait for its confirmation.
    expect(await askedOn(other, ada)).toBe('AUTHORIZATION_STALE')
    const started = performance.now()
    await one.as(ada.token).iam.resetUserPassword({ id: kim.id, body: {} })
    await bind(ada, kim, at)
    expect(performance.now() - started).toBeLessThan(graceMs)
    expect(await askedOn(other, kim)).toBe('AUTHORIZATION_STALE')
    await restored(between)
    const back = await answersUntil('TOKEN_REVOKED', () => askedOn(other, kim))
    expect(new Set(back.map(({ answer }) => answer))).not.toContain('yes')
    await answersUntil('yes', () => askedOn(other, ada))
  })

  it('never admits a session that ended while it was cut off', async ({ onTestFinished }) => {
    const pair = await pairOf(onTestFinished)
    const { ada, between, kim, one, other } = pair
    const askedOn = asking(pair)
    expect(await askedOn(other, kim)).toBe('yes')
    await cut(between)
    const { status } = await one.as(ada.token).iam.deactivateUser({ id: kim.id, body: {} })
    if (status === 'IAM_OPERATION_STATUS_DONE') expect(await askedOn(other, kim)).toBe('AUTHORIZATION_STALE')
    await answersUntil('AUTHORIZATION_STALE', () => askedOn(other, kim))
    await restored(between)
    const back = await answersUntil('TOKEN_REVOKED', () => askedOn(other, kim))
    expect(new Set(back.map(({ answer }) => answer))).not.toContain('yes')
  })
})

/** Closes all connections, so that the server notices the silent connections, and accepts new connections. */
async function restored(between: Proxy): Promise<void> {
  await between.down()
  await between.up()
}
