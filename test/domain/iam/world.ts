import { onTestFinished } from 'vitest'
import { bindings } from '../../../domain/iam/collections/bindings-store.ts'
import type { ResolveResource } from '../../../domain/iam/conditions/called-resources.ts'
import type { ResolvedResource } from '../../../domain/resources/look-up.ts'
import type { CalledResource, Decision, Question } from '../../../domain/iam/interfaces/decisions.ts'
import type { ChangeKind } from '../../../domain/iam/interfaces/feed.ts'
import { LiveDecisions } from '../../../domain/iam/decisions/live-decisions.ts'
import { LiveFeed } from '../../../domain/iam/feed/live-feed.ts'
import { policies } from '../../../domain/iam/collections/policies-store.ts'
import { predefinedRoles } from '../../../domain/iam/roles/predefined-roles.ts'
import { principals } from '../../../domain/iam/collections/principals-store.ts'
import { roles } from '../../../domain/iam/collections/roles-store.ts'
import { roleOf } from '../../../domain/iam/roles/sync-roles.ts'
import type { Store, Transaction } from '../../../domain/ports/store.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { groups, organisations, workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import type { Binding, PolicyStatement, Principal, Role } from '../../../output/iam/types.ts'
import { catalogue } from '../../../server/access/catalogue.ts'
import { createClock } from '../../../server/clock.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { openUntil, preparedPlace, type Later } from '../../server/store/harness.ts'
import { collections } from './iam-environment.ts'
import { bindingRow, insertChild, insertRoot } from './rows.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

export const start = Date.parse('2026-03-04T05:06:07.000Z')
const time = new Date(start).toISOString()
const clock = createClock(() => start)

/** Returns a policy statement that denies all permissions to all principals, changed by `said`. */
export const statement = (said: Partial<PolicyStatement>): PolicyStatement => ({
  effect: 'DENY',
  principals: ['all'],
  except_principals: [],
  permissions: ['*'],
  except_permissions: [],
  resources: [],
  condition: '',
  ...said,
})

/** A question to the decisions; missing members have defaults. */
export interface Asked {
  readonly principal: string
  readonly permission?: string
  readonly scope?: Scope
  readonly resource?: CalledResource
  readonly now?: number
  readonly ip?: string
}

/** A store with decisions over it, and functions that change the rows on which the decisions depend. */
export class World {
  readonly store: ServerStore
  readonly feed: LiveFeed
  readonly decisions: LiveDecisions
  readonly place: string
  /** The number of calls of the store by the decisions, since a test set the number to 0. */
  reads = 0
  /**
   * The resources that `resolveResource` returns, keyed by `<type>/<id>`, by default in the workspace `w`; an `Error`
   * is thrown.
   */
  readonly things = new Map<string, (Omit<ResolvedResource, 'scope'> & Partial<ResolvedResource>) | Error>()
  /** The resources that were looked up, each as `<type>/<id>`, in order. */
  readonly lookedUp: string[] = []

  private constructor(place: string, store: ServerStore) {
    this.place = place
    this.store = store
    const resolveResource: ResolveResource = async (type, id) => {
      this.lookedUp.push(`${type}/${id}`)
      const found = this.things.get(`${type}/${id}`)
      if (found instanceof Error) throw found
      return found && { scope: ids.w, ...found }
    }
    const counted = counting(store, () => (this.reads += 1))
    this.decisions = new LiveDecisions({ store: counted, taxonomy: taxonomyFunctions, catalogue, resolveResource })
    this.feed = new LiveFeed({
      store,
      clock,
      listeners: [this.decisions],
      changedElsewhere: store.changedElsewhere?.bind(store),
    })
  }

  /**
   * Opens a world with the predefined roles and the scopes of `ids`; `later` closes the world, by default at the end of
   * the running test.
   */
  static async make(later: Later = onTestFinished): Promise<World> {
    const place = await preparedPlace(collections, later)
    const world = new World(place, await openUntil(later, place, collections))
    await world.store.tx(tx => fill(tx))
    await world.feed.start()
    later(() => world.feed.stop())
    await world.decisions.start()
    return world
  }

  /** Deletes all policies, and empties `things` and `lookedUp`. */
  async clear(): Promise<void> {
    this.things.clear()
    this.lookedUp.length = 0
    for await (const { id, value, version } of this.store.each(policies)) {
      await this.change('POLICY', value.workspace_id, tx => tx.delete(policies, id, version))
    }
  }

  async decide(asked: Asked): Promise<Decision> {
    const { ip, now = start, permission = 'compute.vms.get', principal, resource, scope = ids.w } = asked
    const question: Question = { principal, permission, scope, resource, circumstances: { now, ip } }
    return this.decisions.decide(question)
  }

  async isGranted(asked: Asked): Promise<boolean> {
    return (await this.decide(asked)).reason === 'GRANTED'
  }

  /** Runs a change in a transaction and records its revision, as the mutations of iam do. */
  async change(kind: ChangeKind, key: string, run: (tx: Transaction) => Promise<unknown>): Promise<void> {
    await this.store.tx(async tx => {
      await this.feed.hold(tx)
      await run(tx)
      await this.feed.revise(tx, kind, key)
    })
  }

  async principal(said: Partial<Principal> = {}): Promise<string> {
    const id = clock.newId()
    const named = { display_name: '', email: `${id}@corp.example`, name: '', organisation_id: '', workspace_id: '' }
    const row: Principal = { id, kind: 'USER', ...named, status: 'ACTIVE', created: time, updated: time, ...said }
    await this.change('PRINCIPAL', id, tx => tx.insert(principals, row))
    return id
  }

  /** Binds a role; returns the id of the binding. */
  async bind(principal: string, role: string, scope: Scope, said: Partial<Binding> = {}): Promise<string> {
    const row = bindingRow({ id: clock.newId(), time }, principal, role, scope, said)
    await this.change('PRINCIPAL', principal, tx => tx.insert(bindings, row))
    return row.id
  }

  /** Makes a user with a role at a scope; returns the id of the user. */
  async holder(role: string, scope: Scope = ids.w, said: Partial<Binding> = {}): Promise<string> {
    const id = await this.principal()
    await this.bind(id, role, scope, said)
    return id
  }

  /** Makes or replaces a custom role. */
  async role(id: string, permissions: readonly string[]): Promise<void> {
    const role: Role = {
      id,
      name: id,
      display_name: '',
      description: '',
      role_type: 'CUSTOM',
      scope_type: 'PLATFORM',
      scope_id: '',
      permissions: [...permissions],
      permission_count: permissions.length,
      bindable_scope_types: [],
      etag: '1',
      created: time,
      updated: time,
    }
    await this.change('ROLE', id, async tx => {
      const stored = await tx.lock(roles, id)
      await (stored ? tx.update(roles, id, role, stored.version) : tx.insert(roles, role))
    })
  }

  /** Creates a policy of a workspace, by default of `w`; returns the id of the policy. */
  async policy(statements: readonly PolicyStatement[], enabled = true, workspace = ids.w.id): Promise<string> {
    const id = clock.newId()
    const texts = { name: `p-${id}`, display_name: '', description: '', labels: {} }
    const stamps = { created_by: '', etag: '1', created: time, updated: time }
    const row = { id, workspace_id: workspace, ...texts, enabled, statements: [...statements], ...stamps }
    await this.change('POLICY', workspace, tx => tx.insert(policies, row))
    return id
  }

  async enable(policy: string, enabled: boolean): Promise<void> {
    await this.change('POLICY', ids.w.id, async tx => {
      const stored = await tx.lock(policies, policy)
      if (stored) await tx.update(policies, policy, { ...stored.value, enabled }, stored.version)
    })
  }

  /** Moves the workspace `w` to another group, or directly below the organisation. */
  async move(parent: string): Promise<void> {
    await this.change('SCOPE', ids.w.id, async tx => {
      const stored = await tx.lock(workspaces, ids.w.id)
      if (stored) await tx.update(workspaces, ids.w.id, { ...stored.value, parent_group_id: parent }, stored.version)
    })
  }

  async setState(state: 'ACTIVE' | 'ARCHIVED', what: 'g' | 'o'): Promise<void> {
    const { id } = ids[what]
    await this.change('SCOPE', id, async tx => {
      const named = `TAXONOMY_LIFECYCLE_STATE_${state}` as const
      if (what === 'g') {
        const stored = await tx.lock(groups, id)
        if (stored) await tx.update(groups, id, { ...stored.value, state: named }, stored.version)
      } else {
        const stored = await tx.lock(organisations, id)
        const states = { state: named, effective_state: named }
        if (stored) await tx.update(organisations, id, { ...stored.value, ...states }, stored.version)
      }
    })
  }
}

const scope = <Type extends Scope['type']>(type: Type, n: number): { readonly type: Type; readonly id: string } => ({
  type,
  id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
})

/**
 * The scopes: organisation `o` contains groups `g` and `other`; `g` contains group `gg`, which contains workspace `w`;
 * `other` contains workspace `side`.
 */
export const ids = {
  o: scope('ORGANISATION', 101),
  g: scope('GROUP', 102),
  gg: scope('GROUP', 103),
  other: scope('GROUP', 104),
  w: scope('WORKSPACE', 105),
  side: scope('WORKSPACE', 106),
} as const

async function fill(tx: Transaction): Promise<void> {
  for (const role of predefinedRoles) await tx.insert(roles, roleOf(catalogue, role, time))
  await insertRoot(tx, { id: ids.o.id, time }, 'o')
  for (const [name, parent_group_id] of [
    ['g', ''],
    ['gg', ids.g.id],
    ['other', ''],
    ['w', ids.gg.id],
    ['side', ids.other.id],
  ] as const) {
    const { id, type } = ids[name]
    await insertChild(tx, type, { id, time }, { name, organisation_id: ids.o.id, parent_group_id })
  }
}

/** Wraps a store so that `count` runs at each call of a method. */
function counting(store: Store, count: () => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]): unknown => {
        count()
        return Reflect.apply(member, target, parameters)
      }
    },
  })
}
