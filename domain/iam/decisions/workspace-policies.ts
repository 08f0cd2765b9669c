import type { PolicyEffect } from '../../../output/iam/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { LoadingCache } from './loading-cache.ts'
import { policies } from '../collections/policies-store.ts'
import type { RightsAt } from './rights-at.ts'
import { concerns, statementsOf, type Concerning, type Statement } from './policy-statements.ts'

type ByBit = Map<number, readonly Concerning[]>

/** The maximal size of `#concerning` for one workspace, in statements. */
const maxHeld = 100_000

/** The size of each cached result in addition to its statements, in statements. */
const entryWeight = 8

/** The statements of a workspace's enabled policies, searchable by permission. */
export class PolicyIndex {
  static readonly none = new PolicyIndex([])
  readonly statements: readonly Statement[]
  readonly #found = { ALLOW: new Map<number, readonly Statement[]>(), DENY: new Map<number, readonly Statement[]>() }

  /**
   * The statements that name or may name the principal of a rights object, keyed by that object and then by the bit of
   * the permission. An entry stays valid as long as its rights object.
   */
  #concerning = { ALLOW: new WeakMap<RightsAt, ByBit>(), DENY: new WeakMap<RightsAt, ByBit>() }
  /** The size of `#concerning`, in statements. */
  #held = 0

  constructor(statements: readonly Statement[]) {
    this.statements = statements
  }

  /** Returns the statements about a permission that name, or may name, the principal of `rights`. */
  concerning(effect: PolicyEffect, bit: number, rights: RightsAt): readonly Concerning[] {
    const about = this.about(effect, bit)
    if (about.length === 0) return nobody
    if (this.#held > maxHeld) this.#forgetConcerning()
    let known = this.#concerning[effect].get(rights)
    if (known === undefined) this.#concerning[effect].set(rights, (known = new Map()))
    let found = known.get(bit)
    if (found === undefined) {
      known.set(bit, (found = concerningIn(about, rights)))
      this.#held += found.length + entryWeight
    }
    return found
  }

  /** Clears `#concerning`. Entries for all principals and permissions would exceed the memory of the server. */
  #forgetConcerning(): void {
    this.#concerning = { ALLOW: new WeakMap(), DENY: new WeakMap() }
    this.#held = 0
  }

  /**
   * Returns the statements with an effect that contain a permission; computes the list on the first call and caches it.
   */
  about(effect: PolicyEffect, bit: number): readonly Statement[] {
    if (this.statements.length === 0) return none
    const known = this.#found[effect].get(bit)
    if (known !== undefined) return known
    const found = this.statements.filter(each => each.effect === effect && each.permissions.has(bit))
    this.#found[effect].set(bit, found)
    return found
  }
}

const none: readonly Statement[] = []
const nobody: readonly Concerning[] = []

function concerningIn(about: readonly Statement[], rights: RightsAt): readonly Concerning[] {
  const found: Concerning[] = []
  for (const statement of about) {
    const verdict = concerns(statement, rights)
    if (verdict !== false) found.push({ statement, isCertain: verdict === true })
  }
  return found
}

/** The maximal number of workspaces with cached policies. */
const maxWorkspaces = 10_000

/**
 * The maximal weight of all cached policies. The weight corresponds to about 250 MB, or to a few workspaces with the
 * maximal number of policies.
 */
const maxWeight = 2_000_000

/** Returns the approximate number of strings in a statement, with the condition in units of 32 characters. */
const weightOf = ({ conditionText, exceptPrincipals, principals, resources }: Statement): number =>
  1 +
  principals.direct.size +
  principals.roles.length +
  exceptPrincipals.direct.size +
  exceptPrincipals.roles.length +
  resources.length +
  Math.ceil(conditionText.length / 32)

/**
 * Caches the policies of workspaces. After `workspaces` has found the workspaces with policies, `load` needs no read
 * for other workspaces.
 */
export class WorkspacePolicies {
  readonly #reader: Reader
  readonly #indexes: LoadingCache<PolicyIndex>
  /** The read of the ids of workspaces with policies, while this read is in progress. */
  #counted: Promise<void> | undefined
  #isCounted = false
  #resets = 0
  readonly #some = new Set<string>()

  constructor(reader: Reader, catalogue: Catalogue) {
    this.#reader = reader
    const read = async (workspace: string): Promise<PolicyIndex> => {
      const found: Statement[] = []
      for await (const { value } of reader.each(policies, { workspace_id: workspace })) {
        found.push(...statementsOf(catalogue, value))
      }
      return new PolicyIndex(found)
    }
    const of = ({ statements }: PolicyIndex): number =>
      statements.reduce((sum, statement) => sum + weightOf(statement), 1)
    this.#indexes = new LoadingCache(maxWorkspaces, read, { weight: { max: maxWeight, of } })
  }

  peek(workspace: string): PolicyIndex | undefined {
    return this.#isCounted && !this.#some.has(workspace) ? PolicyIndex.none : this.#indexes.peek(workspace)
  }

  async load(workspace: string): Promise<PolicyIndex> {
    return this.peek(workspace) ?? (await this.#indexes.load(workspace)) ?? PolicyIndex.none
  }

  /** Returns the ids of the workspaces that may have policies; reads them on the first call and after a reset. */
  async workspaces(): Promise<ReadonlySet<string>> {
    while (!this.#isCounted) await (this.#counted ??= this.#count())
    return this.#some
  }

  drop(workspace: string): void {
    this.#some.add(workspace)
    this.#indexes.drop(workspace)
  }

  dropAll(): void {
    this.#resets += 1
    this.#isCounted = false
    this.#indexes.dropAll()
  }

  async #count(): Promise<void> {
    const resets = this.#resets
    try {
      for (const workspace of (await this.#reader.tally(policies, 'workspace_id')).keys()) this.#some.add(workspace)
      // All policies may have changed during the count; then `workspaces` counts again.
      if (this.#resets === resets) this.#isCounted = true
    } finally {
      this.#counted = undefined
    }
  }
}
