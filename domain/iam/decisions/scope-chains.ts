import type { Reader } from '../../ports/store.ts'
import type { NodeState, Taxonomy } from '../../ports/taxonomy.ts'
import { LoadingCache } from './loading-cache.ts'
import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/** Where rights at a scope come from. */
export interface Chain {
  /** From the scope itself up to its organisation, then PLATFORM. */
  readonly scopes: readonly Scope[]
  /** `scopes` by `scopeKey`, in the same order. */
  readonly keys: readonly string[]
}

/** A scope as the key of a map. */
export const scopeKey = ({ id, type }: Scope): string => `${type} ${id}`

const platformChain: Chain = { scopes: [platform], keys: [scopeKey(platform)] }

/** How many chains are kept. */
const maxChains = 50_000

/** The chains of scopes; archived ancestors stay in them (iam.md 4.1). Scopes that do not exist are asked for anew. */
export class ScopeChains {
  readonly #chains: LoadingCache<Chain>
  /** The states of workspaces whose chain is kept, which go with it. */
  readonly #states: LoadingCache<{ readonly state: NodeState }>
  /** The keys of the chains that are kept, by each scope that they go through. */
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

  /** Undefined when there is no such scope. */
  async load(scope: Scope): Promise<Chain | undefined> {
    return this.peek(scope) ?? this.#chains.load(scopeKey(scope))
  }

  /** The effective state of a workspace; undefined when there is none. */
  async stateOf(workspace: string): Promise<NodeState | undefined> {
    const scope: Scope = { type: 'WORKSPACE', id: workspace }
    const key = scopeKey(scope)
    if (!this.peek(scope) && !(await this.load(scope))) return undefined
    const found = this.#states.peek(key) ?? (await this.#states.load(key))
    // Without the chain nothing would drop it.
    if (this.#chains.peek(key) === undefined) this.#states.drop(key)
    return found?.state
  }

  /** Drops every chain that goes through a scope. */
  drop(id: string): void {
    for (const key of this.#through.get(id) ?? []) this.#chains.drop(key)
    // What is being read may turn out to go through it.
    this.#chains.spoilReads()
    this.#states.spoilReads()
  }

  dropAll(): void {
    this.#chains.dropAll()
    this.#states.dropAll()
  }

  /** Many workspaces lie in one group, whose chain is mostly known: then one read tells theirs. */
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

/** The scope that a key was made of. */
function scopeOfKey(key: string): Scope {
  const [type] = key.split(' ')
  return { type: kinds.find(kind => kind === type) ?? 'PLATFORM', id: key.slice(key.indexOf(' ') + 1) }
}
