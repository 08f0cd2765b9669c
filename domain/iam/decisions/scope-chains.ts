import type { Reader } from '../../ports/store.ts'
import type { NodeState, Taxonomy } from '../../ports/taxonomy.ts'
import { LoadingCache } from './loading-cache.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/** The scopes whose bindings give rights at a scope. */
export interface Chain {
  /** The scopes from the scope itself up to its organisation, then PLATFORM. */
  readonly scopes: readonly Scope[]
  /** The `scopeKey`s of `scopes`, in the same order. */
  readonly keys: readonly string[]
}

/** Returns the key of a scope for maps. */
export const scopeKey = ({ id, type }: Scope): string => `${type} ${id}`

const platformChain: Chain = { scopes: [platform], keys: [scopeKey(platform)] }

/** The maximal number of cached chains. */
const maxChains = 50_000

/** Caches the chains of scopes. Archived ancestors stay in the chains (iam.md 4.1). Absent scopes are not cached. */
export class ScopeChains {
  readonly #chains: LoadingCache<Chain>
  /** The states of workspaces. A state is dropped together with the chain of the workspace. */
  readonly #states: LoadingCache<{ readonly state: NodeState }>
  /** The keys of the cached chains through each scope, keyed by the id of the scope. */
  readonly #through = new Map<string, Set<string>>()

  constructor(reader: Reader, taxonomy: Taxonomy) {
    const came = (chain: Chain, key: string): void => this.#add(chain, key)
    const went = (chain: Chain, key: string): void => this.#remove(chain, key)
    const read = (key: string): Promise<Chain | undefined> => this.#read(reader, taxonomy, scopeOfKey(key))
    this.#chains = new LoadingCache(maxChains, read, { came, went })
    this.#states = new LoadingCache(maxChains, async key => {
      const effective = await taxonomy.effectiveState(reader, scopeOfKey(key))
      return effective && { state: effective.state }
    })
  }

  peek(scope: Scope): Chain | undefined {
    return scope.type === 'PLATFORM' ? platformChain : this.#chains.peek(scopeKey(scope))
  }

  /** Returns the chain of a scope; undefined if the scope does not exist. */
  async load(scope: Scope): Promise<Chain | undefined> {
    return this.peek(scope) ?? this.#chains.load(scopeKey(scope))
  }

  /** Returns the effective state of a workspace; undefined if the workspace does not exist. */
  async stateOf(workspace: string): Promise<NodeState | undefined> {
    const scope: Scope = { type: 'WORKSPACE', id: workspace }
    const key = scopeKey(scope)
    if (!this.peek(scope) && !(await this.load(scope))) return undefined
    const found = this.#states.peek(key) ?? (await this.#states.load(key))
    // A change drops a state through its chain. Without a cached chain the state would never be dropped.
    if (this.#chains.peek(key) === undefined) this.#states.drop(key)
    return found?.state
  }

  /** Drops every cached chain that contains a scope, and marks the reads in progress as outdated. */
  drop(id: string): void {
    for (const key of this.#through.get(id) ?? []) this.#chains.drop(key)
    // A chain that is being read may contain the scope.
    this.#chains.spoilReads()
    this.#states.spoilReads()
  }

  dropAll(): void {
    this.#chains.dropAll()
    this.#states.dropAll()
  }

  /**
   * Reads the chain of a scope; returns undefined if the scope does not exist. Many workspaces share a parent group
   * whose chain is cached, so one read of the workspace mostly suffices.
   */
  async #read(reader: Reader, taxonomy: Taxonomy, scope: Scope): Promise<Chain | undefined> {
    if (scope.type !== 'WORKSPACE') {
      const found = await taxonomy.chain(reader, scope)
      return found && chainOf([...found, platform])
    }
    const parent = await taxonomy.parent(reader, scope)
    if (parent?.type === 'ORGANISATION') return chainOf([scope, parent, platform])
    const above = parent && (await this.load(parent))
    return above && chainOf([scope, ...above.scopes])
  }

  #add({ scopes }: Chain, key: string): void {
    for (const { id } of scopes) {
      const keys = this.#through.get(id)
      if (keys) keys.add(key)
      else this.#through.set(id, new Set([key]))
    }
  }

  #remove({ scopes }: Chain, key: string): void {
    for (const { id } of scopes) {
      const keys = this.#through.get(id)
      keys?.delete(key)
      if (keys?.size === 0) this.#through.delete(id)
    }
    this.#states.drop(key)
  }
}

const chainOf = (scopes: readonly Scope[]): Chain => ({ scopes, keys: scopes.map(scopeKey) })

const kinds = ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'] as const

/** Returns the scope of a key. */
function scopeOfKey(key: string): Scope {
  const [type] = key.split(' ')
  return { type: kinds.find(kind => kind === type) ?? 'PLATFORM', id: key.slice(key.indexOf(' ') + 1) }
}
