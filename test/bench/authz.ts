import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bindings } from '../../domain/iam/bindings-store.ts'
import { feedCollections } from '../../domain/iam/feed-store.ts'
import { LiveDecisions } from '../../domain/iam/live-decisions.ts'
import { LiveFeed } from '../../domain/iam/live-feed.ts'
import { policies } from '../../domain/iam/policies-store.ts'
import { predefinedRoles } from '../../domain/iam/predefined-roles.ts'
import { principals } from '../../domain/iam/principals-store.ts'
import { roles } from '../../domain/iam/roles-store.ts'
import { roleOf } from '../../domain/iam/sync-roles.ts'
import type { Scope } from '../../domain/ports/operations.ts'
import type { Transaction } from '../../domain/ports/store.ts'
import { taxonomyCollections } from '../../domain/taxonomy/area.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { groups, organisations, workspaces } from '../../domain/taxonomy/nodes.ts'
import { newOrganisation } from '../../domain/taxonomy/organisations.ts'
import { newWorkspace } from '../../domain/taxonomy/workspaces.ts'
import { catalogue } from '../../server/access/catalogue.ts'
import { createClock } from '../../server/clock.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * Prints the CPU time of decisions over 10,000 bindings of 1,000 users, in a workspace under ten groups with 100
 * policies and in one without: warm, from memory, and cold, from a file of SQLite; then what a call pays for it.
 */
const users = 1000
const bindingsEach = 10
const depth = 10
const policyCount = 100

const clock = createClock()
const time = new Date(clock.now()).toISOString()
const texts = { display_name: '', description: '', labels: {} }
const stamps = { etag: '1', created: time, updated: time }
const id = (kind: string, n: number): string => `${kind}-${String(n).padStart(8, '0')}-0000-7000-8000-000000000000`
const userId = (n: number): string => id('user', n % users)
const groupId = (n: number): string => (n === 0 ? '' : id('group', n))
const guarded: Scope = { type: 'WORKSPACE', id: 'guarded' }
const plain: Scope = { type: 'WORKSPACE', id: 'plain' }
const organisation: Scope = { type: 'ORGANISATION', id: 'organisation' }
/** From the deepest group to the organisation. */
const above: readonly Scope[] = [
  ...Array.from({ length: depth }, (_, i) => ({ type: 'GROUP' as const, id: groupId(depth - i) })),
  organisation,
]

const folder = mkdtempSync(join(tmpdir(), 'ninefold-authz-'))
const store = await openSqlite({
  file: join(folder, 'store.sqlite'),
  collections: [...taxonomyCollections, ...feedCollections, bindings, policies, principals, roles],
})
try {
  await store.tx(fillTree)
  await store.tx(fillPolicies)
  await store.tx(fillUsers)
  await printDecisions()
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}

async function printDecisions(): Promise<void> {
  const resolveResource = async (): Promise<undefined> => undefined
  const decisions = new LiveDecisions({ store, taxonomy: taxonomyFunctions, catalogue, resolveResource })
  const feed = new LiveFeed({ store, clock, listeners: [decisions], changedElsewhere: () => store.changedElsewhere() })
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
  // Apart from the warm ones, which it would have forget.
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
  await print('what a warm call pays', [
    once('an awaited function', async () => undefined),
    once('the decision', () =>
      decisions.decide({ principal: userId(1), permission: 'compute.vms.get', scope: plain, circumstances }),
    ),
    once('the look at the file', () => feed.follow()),
  ])
  await feed.stop()
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
  for (const role of predefinedRoles) await tx.insert(roles, roleOf(catalogue, role, time))
  const named = { name: 'o', contact_email: '', ...texts }
  await tx.insert(organisations, newOrganisation(organisation.id, time, named))
  const below = (name: string, parent: string) => ({
    name,
    organisation_id: organisation.id,
    parent_group_id: parent,
    ...texts,
  })
  for (let level = 1; level <= depth; level += 1) {
    await tx.insert(groups, newWorkspace(groupId(level), time, below(`g${level}`, groupId(level - 1))))
  }
  for (const scope of [guarded, plain]) {
    await tx.insert(workspaces, newWorkspace(scope.id, time, below(scope.id, groupId(depth))))
  }
}

/** Each denies something to a few, and allows a few something. */
async function fillPolicies(tx: Transaction): Promise<void> {
  const common = { except_principals: [], except_permissions: [], resources: [] }
  for (let n = 0; n < policyCount; n += 1) {
    const principal = [`principal:${userId(users - 1 - n)}`]
    await tx.insert(policies, {
      id: id('policy', n),
      workspace_id: guarded.id,
      name: `p${n}`,
      ...texts,
      enabled: true,
      statements: [
        { effect: 'DENY', principals: principal, permissions: ['*'], condition: 'request.hour_of_day = 25', ...common },
        { effect: 'ALLOW', principals: principal, permissions: ['vault.*'], condition: '', ...common },
      ],
      created_by: '',
      ...stamps,
    })
  }
}

async function fillUsers(tx: Transaction): Promise<void> {
  for (let n = 0; n < users; n += 1) {
    const user = userId(n)
    const named = { display_name: '', email: `${user}@corp.example`, name: '', organisation_id: '', workspace_id: '' }
    await tx.insert(principals, { id: user, kind: 'USER', ...named, status: 'ACTIVE', created: time, updated: time })
    for (let i = 0; i < bindingsEach; i += 1) {
      const scope = above[i] ?? organisation
      await tx.insert(bindings, {
        id: id('binding', n * bindingsEach + i),
        principal_id: user,
        principal_kind: 'USER',
        role_id: i === 0 ? 'workspace-viewer' : 'certificate-requester',
        scope_type: scope.type,
        scope_id: scope.id,
        condition: '',
        created_by: '',
        ...stamps,
      })
    }
  }
}
