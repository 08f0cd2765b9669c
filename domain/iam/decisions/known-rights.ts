import { LRUCache } from 'lru-cache'
import type { Store } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { heldBindings, type HeldBindings } from './held-bindings.ts'
import { entryLimit, LoadingCache } from './loading-cache.ts'
import { PermissionSet, permissionSet } from './permission-set.ts'
import { bindingsOn, RightsAt } from './rights-at.ts'
import { roles } from '../collections/roles-store.ts'
import type { Chain, ScopeChains } from './scope-chains.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The rights of a principal at a scope; `inactive` if the principal is absent or not ACTIVE, `nowhere` if the scope
 * does not exist.
 */
export type Rights = RightsAt | 'inactive' | 'nowhere'

const maxPrincipals = 50_000
/** The maximal number of cached bindings of all principals; each principal counts as one additional binding. */
const maxHeldBindings = 1_000_000
const maxRoles = 100_000
const maxRights = 100_000

/** The maximal number of reads of the inputs, because a concurrent change makes another read necessary. */
const maxReads = 5

/** Caches principals with their bindings, roles as permission sets, and the resulting rights at scopes. */
export class KnownRights {
  readonly #store: Store
  readonly #catalogue: Catalogue
  readonly #chains: ScopeChains
  readonly #principals: LoadingCache<HeldBindings>
  readonly #roles: LoadingCache<PermissionSet>
  /**
   * The rights objects, keyed by principal and scope. Each use compares the inputs from which an object was made; a
   * change of a role drops all rights objects.
   */
  readonly #rights = new LRUCache<string, RightsAt>(entryLimit(maxRights))

  constructor(store: Store, catalogue: Catalogue, chains: ScopeChains) {
    this.#store = store
    this.#catalogue = catalogue
    this.#chains = chains
    const of = ({ at }: HeldBindings): number => [...at.values()].reduce((sum, { length }) => sum + length, 1)
    const weight = { max: maxHeldBindings, of }
    this.#principals = new LoadingCache(maxPrincipals, id => heldBindings(store, id), { weight })
    // A deleted role grants nothing.
    this.#roles = new LoadingCache(maxRoles, async id =>
      permissionSet(catalogue, (await store.get(roles, id))?.value.permissions ?? []),
    )
  }

  /** Reads all roles into the cache. */
  async start(): Promise<void> {
    const { drops } = this.#roles
    for await (const { id, value } of this.#store.each(roles)) {
      this.#roles.keep(id, permissionSet(this.#catalogue, value.permissions), drops)
    }
  }

  /** Returns the rights without a read; undefined if an input is not cached. */
  peek(principal: string, scope: Scope, now: number): Rights | undefined {
    const held = this.#principals.peek(principal)
    if (held === undefined) return undefined
    if (held.status !== 'ACTIVE') return 'inactive'
    const chain = this.#chains.peek(scope)
    if (chain === undefined) return undefined
    const key = `${principal} ${scope.id}`
    const known = this.#rights.get(key)
    if (known?.held === held && known.chain === chain && known.isFor(now)) return known
    const made = this.#make(held, chain, now)
    if (made) this.#rights.set(key, made)
    return made
  }

  async load(principal: string, scope: Scope, now: number): Promise<Rights> {
    for (let reads = 1; ; reads += 1) {
      const known = this.peek(principal, scope, now)
      if (known !== undefined) return known
      const [held, chain] = await Promise.all([this.#principals.load(principal), this.#chains.load(scope)])
      if (held?.status !== 'ACTIVE') return 'inactive'
      if (chain === undefined) return 'nowhere'
      const sets = await this.#rolesOf(held, chain)
      if (reads === maxReads) return new RightsAt(held, chain, id => sets.get(id) ?? PermissionSet.empty, now)
    }
  }

  /** Returns an ACTIVE principal without a read; undefined if it is not cached or not ACTIVE. */
  peekHeld(principal: string): HeldBindings | undefined {
    const held = this.#principals.peek(principal)
    return held?.status === 'ACTIVE' ? held : undefined
  }

  /** Returns an ACTIVE principal with its bindings; undefined if the principal is absent or not ACTIVE. */
  async held(principal: string): Promise<HeldBindings | undefined> {
    const held = await this.#principals.load(principal)
    return held?.status === 'ACTIVE' ? held : undefined
  }

  /** Returns the permissions of a role without a read; undefined if the role is not cached. */
  peekRoleSet(id: string): PermissionSet | undefined {
    return this.#roles.peek(id)
  }

  async roleSet(id: string): Promise<PermissionSet> {
    return (await this.#roles.load(id)) ?? PermissionSet.empty
  }

  dropPrincipal(id: string): void {
    this.#principals.drop(id)
  }

  dropRole(id: string): void {
    this.#roles.drop(id)
    this.#rights.clear()
  }

  dropAll(): void {
    this.#principals.dropAll()
    this.#roles.dropAll()
    this.#rights.clear()
  }

  /**
   * Computes the rights without a read, so that no input can change during the computation; returns undefined if a role
   * is not cached.
   */
  #make(held: HeldBindings, chain: Chain, now: number): RightsAt | undefined {
    const sets = new Map<string, PermissionSet>()
    for (const { roleId } of bindingsOn(held, chain)) {
      const set = this.#roles.peek(roleId)
      if (set === undefined) return undefined
      sets.set(roleId, set)
    }
    return new RightsAt(held, chain, id => sets.get(id) ?? PermissionSet.empty, now)
  }

  async #rolesOf(held: HeldBindings, chain: Chain): Promise<ReadonlyMap<string, PermissionSet>> {
    const ids = [...new Set(bindingsOn(held, chain).map(({ roleId }) => roleId))]
    return new Map(await Promise.all(ids.map(async id => [id, await this.roleSet(id)] as const)))
  }
}
