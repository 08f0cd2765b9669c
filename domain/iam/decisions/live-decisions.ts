import type { Store } from '../../ports/store.ts'
import type { NodeState, Taxonomy } from '../../ports/taxonomy.ts'
import { calledResources, lookedUp, type ResolveResource } from '../conditions/called-resources.ts'
import type { ResolvedResource } from '../../resources/look-up.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { decide, inactive, notGranted, type Case } from './decide.ts'
import type { Circumstances, Decision, Decisions, Question, Visibility } from '../interfaces/decisions.ts'
import type { ChangeKind, FeedListener } from '../interfaces/feed.ts'
import { KnownRights } from './known-rights.ts'
import { ScopeChains, scopeKey } from './scope-chains.ts'
import { visibleTo } from './visible-scopes.ts'
import { WorkspacePolicies } from './workspace-policies.ts'
import type { Scope } from '../../ports/scope.ts'

/** The parts from which decisions are computed. */
export interface DecisionSources {
  readonly store: Store
  readonly taxonomy: Taxonomy
  readonly catalogue: Catalogue
  readonly resolveResource: ResolveResource
}

/** A visibility with the principal, permission and circumstances for which it was computed. */
interface Seen extends Circumstances {
  readonly principal: string
  readonly key: string
  readonly visibility: Visibility
}

/** Decides from caches, which the feed of changes invalidates. */
export class LiveDecisions implements Decisions, FeedListener {
  readonly #parts: DecisionSources
  readonly #chains: ScopeChains
  readonly #rights: KnownRights
  readonly #policies: WorkspacePolicies
  /** The last result. Each list uses the result twice: to admit the call and to filter the rows. */
  #seen: Seen | undefined
  #changes = 0

  constructor(parts: DecisionSources) {
    const { catalogue, store, taxonomy } = parts
    this.#parts = parts
    this.#chains = new ScopeChains(store, taxonomy)
    this.#rights = new KnownRights(store, catalogue, this.#chains)
    this.#policies = new WorkspacePolicies(store, catalogue)
  }

  /**
   * Reads all roles, and the ids of the workspaces with policies. Call `start` after the start of the feed and before
   * the first decision.
   */
  async start(): Promise<void> {
    await this.#rights.start()
    await this.#policies.workspaces()
  }

  async decide({ circumstances, permission: key, principal, resource, scope }: Question): Promise<Decision> {
    const permission = this.#parts.catalogue.find(key)
    const { now } = circumstances
    const rights = this.#rights.peek(principal, scope, now) ?? (await this.#rights.load(principal, scope, now))
    if (rights === 'inactive') return inactive
    if (rights === 'nowhere' || permission === undefined || permission.stage === 'RETIRED') return notGranted
    const isWorkspace = scope.type === 'WORKSPACE'
    const policies = isWorkspace ? (this.#policies.peek(scope.id) ?? (await this.#policies.load(scope.id))) : undefined
    const called = calledResources(resource)
    const known: Case = { permission, rights, policies, called, areLookedUp: false, circumstances }
    return decide(known) ?? this.#decidedByLookUp(known, scope)
  }

  async visible(principal: string, key: string, circumstances: Circumstances): Promise<Visibility> {
    const { ip, now } = circumstances
    const last = this.#seen
    if (last?.principal === principal && last.key === key && last.now === now && last.ip === ip) return last.visibility
    const changes = this.#changes
    const visibility = await this.#visible(principal, key, circumstances)
    if (changes === this.#changes) this.#seen = { principal, key, now, ip, visibility }
    return visibility
  }

  async #visible(principal: string, key: string, circumstances: Circumstances): Promise<Visibility> {
    const permission = this.#parts.catalogue.find(key)
    const held = this.#rights.peekHeld(principal) ?? (await this.#rights.held(principal))
    if (held === undefined || permission === undefined) return { kind: 'below', scopes: [] }
    return visibleTo(held, permission, circumstances, {
      rights: this.#rights,
      chains: this.#chains,
      workspacesWithPolicies: () => this.#policies.workspaces(),
      policies: workspace => this.#policies.load(workspace),
      isGranted: async scope => {
        const { reason } = await this.decide({ principal, permission: key, scope, circumstances })
        return reason === 'GRANTED'
      },
    })
  }

  async hangsOnResource({ id }: Scope, key: string): Promise<boolean> {
    const permission = this.#parts.catalogue.find(key)
    if (permission === undefined) return false
    const policies = this.#policies.peek(id) ?? (await this.#policies.load(id))
    const about = [...policies.about('DENY', permission.bit), ...policies.about('ALLOW', permission.bit)]
    return about.some(({ condition, resources }) => resources.length > 0 || condition?.asksForResource === true)
  }

  async isActive(principal: string): Promise<boolean> {
    const held = this.#rights.peekHeld(principal) ?? (await this.#rights.held(principal))
    if (held === undefined) return false
    const { workspace } = held.principal
    return workspace === '' || (await this.#chains.stateOf(workspace)) === 'ACTIVE'
  }

  async chain(scope: Scope): Promise<readonly Scope[] | undefined> {
    return (this.#chains.peek(scope) ?? (await this.#chains.load(scope)))?.scopes
  }

  stateOf(workspace: string): Promise<NodeState | undefined> {
    return this.#chains.stateOf(workspace)
  }

  changed(kind: ChangeKind, key: string): void {
    // No decision depends on the keys of the vault.
    if (kind === 'KEY') return
    this.#forgetSeen()
    if (kind === 'PRINCIPAL') this.#rights.dropPrincipal(key)
    else if (kind === 'ROLE') this.#rights.dropRole(key)
    else if (kind === 'POLICY') this.#policies.drop(key)
    else if (kind === 'SCOPE') this.#chains.drop(key)
  }

  reset(): void {
    this.#forgetSeen()
    this.#rights.dropAll()
    this.#policies.dropAll()
    this.#chains.dropAll()
  }

  /** Drops the last result, and prevents the caching of a result whose computation has already begun. */
  #forgetSeen(): void {
    this.#seen = undefined
    this.#changes += 1
  }

  async #decidedByLookUp(of: Case, scope: Scope): Promise<Decision> {
    const called = await lookedUp(of.called, (type, id) => this.#resolveIn(scope, type, id))
    return decide({ ...of, called, areLookedUp: true }) ?? notGranted
  }

  /**
   * Returns a resource at or below a scope; undefined if it does not exist. A resource elsewhere counts as absent:
   * otherwise conditions would reveal its name to principals that may write conditions at the scope.
   */
  async #resolveIn(scope: Scope, type: string, id: string): Promise<ResolvedResource | undefined> {
    const found = await this.#parts.resolveResource(type, id)
    const chain = found && (await this.#chains.load(found.scope))
    return chain?.keys.includes(scopeKey(scope)) ? found : undefined
  }
}
