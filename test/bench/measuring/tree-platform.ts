import { FunctionTable } from '../../../server/functions.ts'
import { taxonomyArea } from '../../../output/taxonomy/area.ts'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Transaction } from '../../../domain/ports/store.ts'
import {
  startTaxonomy,
  taxonomyCollections,
  taxonomyHandlers,
  taxonomyProcedures,
} from '../../../domain/taxonomy/area.ts'
import { EffectiveQuotas } from '../../../domain/taxonomy/quotas/effective-quotas.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { Groups } from '../../../domain/taxonomy/groups.ts'
import { groups, workspaces, type StoredGroup, type StoredWorkspace } from '../../../domain/taxonomy/tree/nodes.ts'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { quotas } from '../../../domain/taxonomy/quotas/quotas-store.ts'
import { lockTree } from '../../../domain/taxonomy/tree/tree-lock.ts'
import { TreeReads } from '../../../domain/taxonomy/tree/tree-reads.ts'
import { newChild } from '../../../domain/taxonomy/tree/new-child.ts'
import { Workspaces } from '../../../domain/taxonomy/workspaces.ts'
import { dispatcher } from '../../../runtime/call.ts'
import { pageTokens } from '../../../runtime/page-token.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { Owner } from '../../../server/operations/owners.ts'
import { leaseTimes, workCollections } from '../../../server/operations/workers.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { openPlace } from '../../server/store/place.ts'
import { testGuard, testToken } from '../../server/access/test-access.ts'

const clock = createClock()

/** The ids of one organisation and its groups. */
export interface Tree {
  readonly organisation: string
  /** The ids of the groups; each group is the parent of the next, up to `maxDepth` levels. */
  readonly groups: readonly string[]
}

/** Makes a call and returns its body; throws unless the status is 200. */
export type Caller = (method: string, target: string, body?: object) => Promise<string>

/** The taxonomy over a tree of a certain size, without a listener, without workers and with the guard of tests. */
export interface StoredTree extends Tree {
  readonly store: ServerStore
  /** The handlers alone, without routing, access control and checks of requests. */
  readonly handlers: Handlers
  readonly call: Caller
  close(): Promise<void>
}

/** A tree in a file of SQLite. */
export interface TreePlatform extends StoredTree {
  /** A connection of the bare driver to the same file. */
  readonly bare: DatabaseSync
}

interface Handlers {
  readonly workspaces: Workspaces
  readonly groups: Groups
  readonly effectiveQuotas: EffectiveQuotas
}

/** The numbers of groups and workspaces of an organisation. */
export interface TreeSize {
  readonly groups: number
  readonly workspaces: number
}

const ignore = (): void => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Opens a platform in a new folder, and fills one organisation. */
export async function treePlatform(size: TreeSize): Promise<TreePlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-bench-'))
  const file = join(folder, 'ninefold.sqlite')
  const tree = await storedTree(file, size)
  const bare = new DatabaseSync(file, { readOnly: true, returnArrays: true })
  return {
    ...tree,
    bare,
    async close() {
      bare.close()
      await tree.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Opens a platform in a file of SQLite or at the URL of a database, and fills one organisation. */
export async function storedTree(place: string, size: TreeSize): Promise<StoredTree> {
  const { handlers, module } = watchedArea()
  const collections = [rememberedKeys, outbox, ...workCollections, ...module.collections]
  const store = await openPlace(place, collections)
  const { access, doors } = testGuard
  const functions = new FunctionTable()
  functions.provide('taxonomy', { taxonomy: taxonomyFunctions, ...testGuard.functions })
  const audit = outboxAudit(clock, taxonomyFunctions)
  const tokens = pageTokens(scope => createHmac('sha256', 'a key').update(scope).digest('binary'))
  const parts = {
    store,
    clock,
    access,
    audit,
    functions,
    config: { baseUrl: undefined, dataDir: '.' },
    log: silent,
    queue: new WorkQueue(),
    baseUrl: () => '',
    consoleUrl: () => '',
    hooks: [],
    metrics: [],
    serverMetrics: async () => [],
    callWatchers: [],
    ends: [],
    planes: [],
    pageTokens: tokens,
    resolve: module.resolve,
    processes: new Owner({ store, clock, log: silent }, leaseTimes),
  }
  const { routes } = module.mount({ ...parts, taxonomy: taxonomyFunctions })
  functions.close()
  const domains = { outside: module.domain }
  const made = await fillTree(store, size)
  return {
    store,
    handlers: await handlers,
    ...made,
    call: caller(dispatcher({ routes, doors, clock, tokens, domains, log: () => {} }), testToken),
    close: () => store.close(),
  }
}

/** Returns the taxonomy area, and a promise of its handlers, which is fulfilled when the area is mounted. */
function watchedArea(): { readonly module: AreaModule; readonly handlers: Promise<Handlers> } {
  const { promise, resolve } = Promise.withResolvers<Handlers>()
  const module = area({
    generated: taxonomyArea,
    collections: taxonomyCollections,
    needs: { required: ['iam'] },
    handlers: parts => {
      const trees = new TreeReads(parts.store)
      resolve({
        workspaces: new Workspaces(parts, trees),
        groups: new Groups(parts, trees),
        effectiveQuotas: new EffectiveQuotas(parts),
      })
      return taxonomyHandlers(parts)
    },
    procedures: taxonomyProcedures,
  })
  return { module, handlers: promise }
}

/** Returns a function that calls a dispatcher with an access token. */
export function caller(dispatch: Dispatch, token: string): Caller {
  const { signal } = new AbortController()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (method, target, body) => {
    const sent = body && new Blob([JSON.stringify(body)]).stream()
    const answer = await dispatch({ method, target, headers, body: sent, signal, clientAddress: '127.0.0.1' })
    const text = String(answer.body)
    // A host encodes the body, which joins the parts of its text. Otherwise only calls that search the text would do so.
    encoder.encode(text)
    if (answer.status === 200) return text
    throw new Error(`${method} ${target} was answered ${answer.status}: ${text}`)
  }
}

const encoder = new TextEncoder()

const time = formatMillis(Date.UTC(2026, 0, 1))
const maxDepth = 10
const labels = { env: 'prod', team: 'core', cost_center: '4711' }

/** Makes one organisation with groups and workspaces in an empty store. */
export async function fillTree(store: ServerStore, size: TreeSize): Promise<Tree> {
  const organisation = clock.newId()
  const made: string[] = []
  await store.tx(async tx => {
    await startTaxonomy(tx, clock.now())
    const settable = { name: 'bench', display_name: 'Bench', description: '', contact_email: '', labels }
    await insertOrganisation(tx, newOrganisation(organisation, time, settable))
    for (let i = 0; i < size.groups; i += 1) {
      const parent = i % maxDepth === 0 ? '' : (made[i - 1] ?? '')
      const { value } = await tx.insert(groups, newGroup(organisation, parent, i))
      made.push(value.id)
    }
    for (let i = 0; i < size.workspaces; i += 1) await tx.insert(workspaces, workspaceOf(organisation, made, i))
    await settle(tx, organisation, size)
  })
  return { organisation, groups: made }
}

/** Counts the created rows, and lifts the limits that would prevent further growth. */
async function settle(tx: Transaction, organisation: string, size: TreeSize): Promise<void> {
  await lockTree(tx, organisation, size)
  for (const quota of ['taxonomy.workspaces', 'taxonomy.groups', 'iam.serviceAccounts']) {
    const stored = await tx.get(quotas, quota)
    if (stored) await tx.update(quotas, quota, { ...stored.value, default_limit: -1 }, stored.version)
  }
}

/** Returns the row of a group; every fiftieth group is suspended. */
function newGroup(organisation_id: string, parent_group_id: string, i: number): StoredGroup {
  const { id, ...workspace } = newChild(clock.newId(), time, {
    organisation_id,
    parent_group_id,
    name: `group-${i}`,
    display_name: `Group ${i}`,
    description: '',
    labels,
  })
  return { id, ...workspace, state: stateOf(i, 50) }
}

/**
 * Returns the row of a workspace; every hundredth workspace is suspended. The names are in random order, and neighbours
 * by name have different parents.
 */
function workspaceOf(organisation_id: string, parents: readonly string[], i: number): StoredWorkspace {
  const scattered = Math.imul(i, 2654435761) >>> 0
  const workspace = newChild(clock.newId(), formatMillis(Date.UTC(2026, 0, 1) + i * 1000), {
    organisation_id,
    parent_group_id: parents[i % parents.length] ?? '',
    name: `workspace-${scattered.toString(36).padStart(7, '0')}`,
    display_name: `Workspace ${i}`,
    description: 'Holds what a team runs.',
    labels,
  })
  return { ...workspace, state: stateOf(i, 100) }
}

const stateOf = (i: number, every: number) =>
  i % every === every - 1 ? 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED' : 'TAXONOMY_LIFECYCLE_STATE_ACTIVE'
