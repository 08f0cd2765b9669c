import { LiveDecisions } from '../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../domain/iam/feed/live-feed.ts'
import type { Transaction } from '../../domain/ports/store.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { groups, organisations, workspaces } from '../../domain/taxonomy/tree/nodes.ts'
import { newOrganisation } from '../../domain/taxonomy/organisations.ts'
import { newChild } from '../../domain/taxonomy/tree/new-child.ts'
import { catalogue } from '../../server/access/catalogue.ts'
import { leasePlace } from '../../server/iam/lease-place.ts'
import { accessStore, addBinding, addPolicy, addUser, clock, id, texts, time } from './measuring/access-store.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/**
 * This program prints the CPU time of decisions over 10,000 bindings of 1,000 users, in a workspace under ten groups
 * with 100 policies and in a workspace without policies: warm, from caches, and cold, from a SQLite file; then the
 * share of decisions in a call.
 */

const users = 1000
const bindingsEach = 10
const depth = 10
const policyCount = 100

const userId = (n: number): string => id('user', n % users)
const groupId = (n: number): string => (n === 0 ? '' : id('group', n))
const guarded: Scope = { type: 'WORKSPACE', id: 'guarded' }
const plain: Scope = { type: 'WORKSPACE', id: 'plain' }
/** A workspace whose policies have the maximal number of statements and comparisons. */
const full: Scope = { type: 'WORKSPACE', id: 'full' }
const organisation: Scope = { type: 'ORGANISATION', id: 'organisation' }
/** The scopes from the deepest group to the organisation. */
const above: readonly Scope[] = [
  ...Array.from({ length: depth }, (_, i) => ({ type: 'GROUP' as const, id: groupId(depth - i) })),
  organisation,
]

const common = { except_principals: [], except_permissions: [], resources: [] }

/** Functions that return a comparison, most of them with another value for each `n`; no comparison is true. */
const compared: readonly ((n: number) => string)[] = [
  n => `principal.email = "n${n}*"`,
  n => `request.ip:"172.16.${n % 256}.0/24"`,
  n => `request.permission = "a.b.${n}"`,
  () => 'request.time < "2020-01-01T00:00:00Z"',
]

const { close, store } = await accessStore()
try {
  await store.tx(fillTree)
  await store.tx(fillPolicies)
  await store.tx(fillLimits)
  await store.tx(fillUsers)
  await printDecisions()
} finally {
  await close()
}

async function printDecisions(): Promise<void> {
  const resolveResource = async (): Promise<undefined> => undefined
  const decisions = new LiveDecisions({ store, taxonomy: taxonomyFunctions, catalogue, resolveResource })
  const changedElsewhere = (): boolean => store.changedElsewhere()
  const leases = await leasePlace(store)
  const feed = new LiveFeed({ store, clock, listeners: [decisions], leases, changedElsewhere })
  const unleased = new LiveFeed({ store, clock, listeners: [decisions], changedElsewhere })
  await feed.start()
  await decisions.start()
  const circumstances = { now: clock.now(), ip: '127.0.0.1' }
  let n = 0
  const decide = (scope: Scope, permission = 'compute.vms.get'): Promise<unknown> => {
    n += 1
    return decisions.decide({ principal: userId(n), permission, scope, circumstances })
  }
  const cold = (scope: Scope, forget: () => void): (() => Promise<unknown>) => {
    return () => {
      forget()
      return decide(scope)
    }
  }
  await decide(plain)
  const warm = [
    once('warm, no policies', () => decide(plain)),
    once('warm, 100 policies', () => decide(guarded)),
    once('warm, not granted', () => decide(plain, 'compute.vms.create')),
  ]
  await print('a warm decision over 10,000 bindings, depth 10, 1,000 users in turn', warm)
  // The cold decisions run last, because each evicts rows that the warm decisions need in the cache.
  const forgetting = [
    once(
      'cold principal',
      cold(plain, () => decisions.changed('PRINCIPAL', userId(n + 1))),
    ),
    once(
      'cold principal and scope',
      cold(plain, () => {
        decisions.changed('PRINCIPAL', userId(n + 1))
        decisions.changed('SCOPE', plain.id)
      }),
    ),
    once(
      'cold policies of 100',
      cold(guarded, () => decisions.changed('POLICY', guarded.id)),
    ),
  ]
  await print('a cold decision', forgetting)
  // The server takes its lease within a second of the first call.
  feed.follow()
  await new Promise(resolve => setTimeout(resolve, 1500))
  await printLimits(decisions)
  await print('what a warm call pays', [
    once('an awaited function', async () => undefined),
    once('the decision, and whether the lease runs', async () => {
      await feed.follow()
      return decisions.decide({ principal: userId(1), permission: 'compute.vms.get', scope: plain, circumstances })
    }),
    once('the decision', () =>
      decisions.decide({ principal: userId(1), permission: 'compute.vms.get', scope: plain, circumstances }),
    ),
    once('whether the lease runs', () => feed.follow()),
    once('a look at the file, without a lease', () => unleased.follow()),
  ])
  await feed.stop()
}

/** Prints decisions under policies with 2,000 statements of 32 comparisons. */
async function printLimits(decisions: LiveDecisions): Promise<void> {
  const permissions = catalogue.permissions.slice(0, 100).map(({ id: key }) => key)
  let n = 0
  const decide = (user: number, permission: string, ip: string): Promise<unknown> =>
    decisions.decide({ principal: userId(user), permission, scope: full, circumstances: { now: clock.now(), ip } })
  await print('a decision over policies at their limits: 2,000 statements of 32 comparisons', [
    once('the same caller again', () => decide(1, 'compute.vms.get', '127.0.0.1')),
    once('callers in turn, each from elsewhere', () => decide((n += 1) % 50, 'compute.vms.get', `10.0.0.${n % 50}`)),
    {
      name: 'each of 100 permissions of a test',
      units: permissions.length,
      run: async () => {
        for (const permission of permissions) await decide(1, permission, '127.0.0.1')
      },
    },
  ])
}

async function print(title: string, contenders: readonly Contender[]): Promise<void> {
  const times = await measure(contenders)
  printGroup(
    title,
    contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
  )
  for (const [i, { name }] of contenders.entries()) {
    console.log(`  ${name}: ${Math.round(1e9 / (times[i] ?? Number.NaN)).toLocaleString('en')} a second`)
  }
}

function once(name: string, run: () => unknown): Contender {
  return { name, run, units: 1 }
}

async function fillTree(tx: Transaction): Promise<void> {
  const named = { name: 'o', contact_email: '', ...texts }
  await tx.insert(organisations, newOrganisation(organisation.id, time, named))
  const below = (name: string, parent: string) => ({
    name,
    organisation_id: organisation.id,
    parent_group_id: parent,
    ...texts,
  })
  for (let level = 1; level <= depth; level += 1) {
    await tx.insert(groups, newChild(groupId(level), time, below(`g${level}`, groupId(level - 1))))
  }
  for (const scope of [guarded, plain, full]) {
    await tx.insert(workspaces, newChild(scope.id, time, below(scope.id, groupId(depth))))
  }
}

/**
 * Inserts policies that each name one user: a DENY whose condition is never true, and an ALLOW of all permissions of
 * vault.
 */
async function fillPolicies(tx: Transaction): Promise<void> {
  for (let n = 0; n < policyCount; n += 1) {
    const principals = [`principal:${userId(users - 1 - n)}`]
    await addPolicy(tx, id('policy', n), guarded, [
      { effect: 'DENY', principals, permissions: ['*'], condition: 'request.hour_of_day = 25', ...common },
      { effect: 'ALLOW', principals, permissions: ['vault.*'], condition: '', ...common },
    ])
  }
}

/**
 * Inserts policies whose statements apply to all principals and permissions, and whose conditions are alternatives of
 * false comparisons, so that an evaluation needs every comparison.
 */
async function fillLimits(tx: Transaction): Promise<void> {
  for (let n = 0; n < policyCount; n += 1) {
    const statements = Array.from({ length: 20 }, (_, i) => {
      const terms = Array.from({ length: 32 }, (_, j) => compared[(i + j) % compared.length]?.(i * 32 + j) ?? '')
      let condition = terms.join(' OR ')
      // A condition has at most 1,024 characters, so short comparisons replace long comparisons.
      for (let j = 0; condition.length > 1024; j += 1) {
        terms[j] = `principal.id = z${n}x${i}`
        condition = terms.join(' OR ')
      }
      return { effect: 'DENY' as const, principals: ['all'], permissions: ['*'], condition, ...common }
    })
    await addPolicy(tx, id('full', n), full, statements)
  }
}

async function fillUsers(tx: Transaction): Promise<void> {
  for (let n = 0; n < users; n += 1) {
    await addUser(tx, userId(n))
    for (let i = 0; i < bindingsEach; i += 1) {
      const role = i === 0 ? 'workspace-viewer' : 'certificate-requester'
      await addBinding(tx, id('binding', n * bindingsEach + i), userId(n), role, above[i] ?? organisation)
    }
  }
}
