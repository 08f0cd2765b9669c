import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { waitMs } from '../../../../domain/iam/feed/settling.ts'
import { startProxy, type Proxy } from '../../store/postgres/proxy.ts'
import { testStoreUrl } from '../../store/harness.ts'
import { answersUntil, askedAt } from '../asked.ts'
import { addMember, addTenant, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { servedPlatform, type ServedPlatform } from '../served-platform.ts'
import { afterTests } from '../../../undo.ts'

/** Two processes on one database, which all tests share; the second process connects through a proxy that can fail. */
interface Servers {
  readonly one: ServedPlatform
  readonly other: ServedPlatform
  readonly between: Proxy
  readonly ada: Member
  readonly at: Tenant
}

/** The shared servers, with two new viewers of the workspace for each test. */
interface Pair extends Servers {
  /** A viewer of the workspace, by the binding that a test deletes. */
  readonly kim: Member
  /** A viewer of the workspace whose binding no test deletes. */
  readonly lee: Member
  readonly binding: string
}

/** The tolerance in milliseconds for late timers on a busy machine. */
const graceMs = 2000

let servers: Servers
beforeAll(async () => {
  const { storeUrl = '' } = await testStoreUrl(afterTests)
  const one = await servedPlatform({ NINEFOLD_STORE_URL: storeUrl }, afterTests)
  const ada = await one.admin()
  const at = await addTenant(ada.api, 'acme')
  const between = await startProxy(storeUrl, afterTests)
  const other = await servedPlatform({ NINEFOLD_STORE_URL: between.url }, afterTests)
  servers = { one, other, between, ada, at }
}, 120_000)

let pair: Pair
let tests = 0
beforeEach(async () => {
  const { ada, at, one } = servers
  tests += 1
  const member = (name: string) =>
    addMember(one, ada.api, { email: `${name}-${tests}@acme.example`, organisation_id: at.organisation })
  const [kim, lee] = [await member('kim'), await member('lee')]
  const binding = await bind(ada, kim, at)
  await bind(ada, lee, at)
  pair = { ...servers, kim, lee, binding }
})

async function bind(ada: Member, { id }: Member, { workspace }: Tenant): Promise<string> {
  const body = { ...roleAt('workspace-viewer', 'WORKSPACE', workspace), principal_id: id }
  const { resource_id, status } = await ada.api.iam.createBinding({ body })
  expect(status).toBe('IAM_OPERATION_STATUS_DONE')
  return resource_id
}

/**
 * Returns the answer of a process to the question whether a member has the permission in the workspace; either process
 * may have issued the member's token.
 */
const askedOn = ({ as }: ServedPlatform, { token }: Member): Promise<string> => askedAt(as(token), pair.at)

/** Deletes kim's binding through the first process; returns the time at which the operation was DONE. */
async function takeAway(): Promise<number> {
  const since = performance.now()
  const { status } = await pair.ada.api.iam.deleteBinding({ id: pair.binding })
  const done = performance.now()
  expect(status).toBe('IAM_OPERATION_STATUS_DONE')
  expect(done - since).toBeLessThan(waitMs + graceMs)
  return done
}

/**
 * Waits until the other process serves by the present permissions; then checks that a new binding applies there as soon
 * as its operation is DONE.
 */
async function servesAgain(): Promise<void> {
  const { ada, at, kim, lee, other } = pair
  const back = await answersUntil('no', () => askedOn(other, kim))
  expect(new Set(back.map(({ answer }) => answer))).not.toContain('yes')
  expect(await askedOn(other, lee)).toBe('yes')
  await bind(ada, kim, at)
  expect(await askedOn(other, kim)).toBe('yes')
  expect(other.isRunning()).toBe(true)
}

it('a grant or revocation through one process applies in the other once it is DONE', async () => {
  const { ada, at, kim, lee, other } = pair
  expect(await askedOn(other, kim)).toBe('yes')
  await takeAway()
  expect(await askedOn(other, kim)).toBe('no')
  expect(await askedOn(other, lee)).toBe('yes')
  await bind(ada, kim, at)
  expect(await askedOn(other, kim)).toBe('yes')
})

describe.each([
  ['whose connections are cut', async ({ down }: Proxy) => down()],
  ['whose connections are silent', async ({ silence }: Proxy) => silence()],
] as const)('a process %s', (_, cut) => {
  it('delays no change, admits no caller by outdated permissions, and serves again by itself', async () => {
    const { between, kim, lee, one, other } = pair
    for (const each of [one, other]) expect(await askedOn(each, kim)).toBe('yes')
    await cut(between)
    const watching = answersUntil('AUTHORIZATION_STALE', () => askedOn(other, kim))
    const doneAt = await takeAway()
    // The other process refuses every caller, even callers without a change, because it cannot know which permissions
    // have changed.
    expect(await askedOn(other, kim)).toBe('AUTHORIZATION_STALE')
    expect(await askedOn(other, lee)).toBe('AUTHORIZATION_STALE')
    const answers = await watching
    expect(new Set(answers.map(({ answer }) => answer))).not.toContain('no')
    expect(answers.filter(({ answer, asked }) => answer === 'yes' && asked > doneAt)).toEqual([])
    expect(await askedOn(one, kim)).toBe('no')
    await between.down()
    await between.up()
    await servesAgain()
  })
})

it('a process that is paused past its lease admits no caller by outdated permissions, and serves again by itself', async () => {
  const { kim, one, other } = pair
  for (const each of [one, other]) expect(await askedOn(each, kim)).toBe('yes')
  other.pause()
  await takeAway()
  expect(await askedOn(one, kim)).toBe('no')
  // These requests are buffered while the process is paused, so the process reads the requests before it learns of the
  // deleted binding.
  const waiting = Array.from({ length: 20 }, () => askedOn(other, kim))
  const isAnswered = await Promise.race([...waiting, new Promise(resolve => setTimeout(resolve, 200, 'none'))])
  expect(isAnswered).toBe('none')
  other.resume()
  const answers = new Set(await Promise.all(waiting))
  expect(answers).not.toContain('yes')
  await servesAgain()
})
