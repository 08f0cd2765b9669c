import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { accessRows } from '../../domain/iam/grants/access-rows.ts'
import { bindings } from '../../domain/iam/collections/bindings-store.ts'
import { effectivePermissions } from '../../domain/iam/decisions/effective-permissions.ts'
import { foundPrincipal } from '../../domain/iam/grants/named-principals.ts'
import { LiveDecisions } from '../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../domain/iam/feed/live-feed.ts'
import { seenBy } from '../../domain/ports/access.ts'
import type { Transaction } from '../../domain/ports/store.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { groups, organisations, workspaces } from '../../domain/taxonomy/tree/nodes.ts'
import { newOrganisation } from '../../domain/taxonomy/organisations.ts'
import { newChild } from '../../domain/taxonomy/tree/new-child.ts'
import { bindingsList } from '../../output/iam/filters.ts'
import type { CallContext } from '../../runtime/context.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import { accessOf } from '../../server/access/access-of.ts'
import { catalogue } from '../../server/access/catalogue.ts'
import { accessStore, addBinding, addUser, clock, id, texts, time } from './measuring/access-store.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/**
 * This program prints the costs of access over 100,000 principals with 1,000,000 bindings in 10,000 workspaces on a
 * SQLite file: decisions, lists, changes, and the bounded memory.
 */

const users = 100_000
const workspacesCount = 10_000
const groupsCount = 100
const bindingsEach = 10
/** The number of users in measurements with warm caches; all other measurements use more users than the caches hold. */
const warmUsers = 10_000
const batch = 5000

const organisation: Scope = { type: 'ORGANISATION', id: id('organisation', 0) }
const groupOf = (n: number): Scope => ({ type: 'GROUP', id: id('group', n % groupsCount) })
const workspaceOf = (n: number): Scope => ({ type: 'WORKSPACE', id: id('workspace', n % workspacesCount) })
const userId = (n: number): string => id('user', n % users)
const admin = id('admin', 0)
/**
 * Returns the scope of the binding `i` of a user: a group for the first binding, otherwise a workspace. The workspaces
 * of a user are far apart in the store.
 */
const placeOf = (user: number, i: number): Scope =>
  i === 0 ? groupOf(user % users) : workspaceOf((user % users) + i * 1009)

const { close, store } = await accessStore()
try {
  const began = performance.now()
  await store.tx(fillTree)
  for (let from = 0; from < users; from += batch) await store.tx(tx => fillUsers(tx, from))
  console.log(`built in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  await printAll()
} finally {
  await close()
}

async function fillTree(tx: Transaction): Promise<void> {
  await tx.insert(organisations, newOrganisation(organisation.id, time, { name: 'o', contact_email: '', ...texts }))
  const below = (name: string, parent_group_id: string) => {
    return { name, organisation_id: organisation.id, parent_group_id, ...texts }
  }
  for (let n = 0; n < groupsCount; n += 1) {
    await tx.insert(groups, newChild(groupOf(n).id, time, below(`g${n}`, n < 10 ? '' : groupOf(n % 10).id)))
  }
  for (let n = 0; n < workspacesCount; n += 1) {
    await tx.insert(workspaces, newChild(workspaceOf(n).id, time, below(`w${n}`, groupOf(n).id)))
  }
  await addUser(tx, admin)
  await addBinding(tx, id('binding', users * bindingsEach), admin, 'organisation-admin', organisation)
}

async function fillUsers(tx: Transaction, from: number): Promise<void> {
  for (let n = from; n < from + batch; n += 1) {
    await addUser(tx, userId(n))
    for (let i = 0; i < bindingsEach; i += 1) {
      const role = i === 0 ? 'vault-secret-accessor' : i % 2 === 0 ? 'workspace-viewer' : 'workspace-editor'
      await addBinding(tx, id('binding', n * bindingsEach + i), userId(n), role, placeOf(n, i))
    }
  }
}

async function printAll(): Promise<void> {
  const taxonomy = taxonomyFunctions
  const decisions = new LiveDecisions({ store, taxonomy, catalogue, resolveResource: async () => undefined })
  const feed = new LiveFeed({ store, clock, listeners: [decisions] })
  await feed.start()
  await decisions.start()
  const circumstances = { now: clock.now(), ip: '127.0.0.1' }
  const decide = async (user: number, i: number): Promise<void> => {
    const question = { principal: userId(user), permission: 'compute.vms.get', scope: placeOf(user, i), circumstances }
    const { reason } = await decisions.decide(question)
    if (reason !== 'GRANTED') throw new Error(`${question.principal} is denied: ${reason}`)
  }
  let n = 0
  for (let user = 0; user < warmUsers; user += 1) await decide(user, 1)
  await print('decisions', [
    once('warm, 10,000 users in turn', () => decide((n += 1) % warmUsers, 1)),
    once('warm, one user', () => decide(1, 1)),
  ])
  await print('decisions of whom nobody remembers', [
    once('all users in all their workspaces in turn', () => decide((n += 1), 1 + (n % 9))),
  ])
  await printMemory(decide)
  await print('after a change', [
    once('of a principal, its next decision', () => {
      decisions.changed('PRINCIPAL', userId(5))
      return decide(5, 1)
    }),
    once('of a role, the next decision of one', () => {
      decisions.changed('ROLE', 'workspace-viewer')
      return decide(5, 1)
    }),
    once('of the organisation, the next decision of one', () => {
      decisions.changed('SCOPE', organisation.id)
      return decide(5, 1)
    }),
  ])
  const began = performance.now()
  const commits = 50
  for (let i = 0; i < commits; i += 1) await store.tx(tx => feed.revise(tx, 'PRINCIPAL', userId(5)))
  console.log(`  the change itself, committed: ${((performance.now() - began) / commits).toFixed(1)} ms`)
  const access = accessOf({ decisions, taxonomy, reader: store })
  const query = { size: 20, filter: undefined, order: checkOrder('', bindingsList), after: undefined, now: clock.now() }
  const listFor = (user: string) => async (): Promise<void> => {
    const seen = await access.visible(calledBy(user), 'iam.bindings.list')
    const { items } = await store.list(bindings, query, seenBy(seen, 'scope_id'))
    if (items.length !== 20) throw new Error(`a page has ${items.length}`)
  }
  await print('lists', [
    once('a page of bindings, below 9 workspaces', listFor(userId(7))),
    once('a page of bindings, below 10,000 workspaces', listFor(admin)),
    once('where the latter sees bindings', () => access.visible(calledBy(admin), 'iam.bindings.list')),
    once('effective permissions of one', () => effective(userId(7), placeOf(7, 1))),
  ])
  await feed.stop()
}

/** Prints the memory of the process after decisions about far more principals than the caches hold. */
async function printMemory(decide: (user: number, i: number) => Promise<void>): Promise<void> {
  console.log('\nmemory of the process (heap in use after collection, MiB)')
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const rounds = 2
  for (let round = 0; round < rounds; round += 1) {
    for (let user = 0; user < users; user += 1) await decide(user, 1 + round)
    collect()
    const { heapUsed, rss } = process.memoryUsage()
    const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0).padStart(6)
    const decided = ((round + 1) * users).toLocaleString('en')
    console.log(`  after ${decided} principals with a scope ${mib(heapUsed)}   rss ${mib(rss)}`)
  }
}

async function effective(user: string, scope: Scope): Promise<unknown> {
  const principal = await foundPrincipal(store, user)
  const rows = await accessRows(store, { taxonomy: taxonomyFunctions }, scope, clock.now(), user)
  if (rows === undefined) throw new Error('there is no such scope')
  const byId = new Map(rows.roles.map(role => [role.id, role]))
  const role = (key: string) => byId.get(key)
  const of = { ...rows, role, statements: [], catalogue, principal, now: clock.now() }
  return effectivePermissions(of)
}

function calledBy(user: string): CallContext {
  return {
    principal: { id: user, kind: 'user' },
    operation: { area: 'iam', operationId: 'listBindings', permission: 'iam.bindings.list' },
    path: '/iam/v1/bindings',
    method: 'GET',
    requestId: '',
    traceId: '',
    idempotencyKey: undefined,
    clientAddress: '127.0.0.1',
    signal: new AbortController().signal,
    now: clock.now(),
  }
}

function once(name: string, run: () => unknown): Contender {
  return { name, run, units: 1 }
}

async function print(title: string, contenders: readonly Contender[]): Promise<void> {
  const times = await measure(contenders)
  printGroup(
    title,
    contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
  )
}
