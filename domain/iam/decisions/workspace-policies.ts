import type { PolicyEffect } from '../../../output/iam/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { Catalogue } from '../interfaces/catalogue.ts'
import { LoadingCache } from './loading-cache.ts'
import { policies } from '../collections/policies-store.ts'
import type { RightsAt } from './rights-at.ts'
import { concerns, statementsOf, type Concerning, type Statement } from './policy-statements.ts'

type ByBit = Map<number, readonly Concerning[]>

/** How many statements are remembered as concerning somebody, of one workspace. */
const maxHeld = 100_000

/** What is remembered of none costs as much as so many. */
const entryWeight = 8

/** The statements of the enabled policies of a workspace, by the permission that they are about. */
export class PolicyIndex {
  static readonly none = new PolicyIndex([])
  readonly statements: readonly Statement[]
  readonly #found = { ALLOW: new Map<number, readonly Statement[]>(), DENY: new Map<number, readonly Statement[]>() }

  /** Of those, by whose rights: what nobody's condition has to be decided for is settled as long as the rights are. */
  #concerning = { ALLOW: new WeakMap<RightsAt, ByBit>(), DENY: new WeakMap<RightsAt, ByBit>() }
  /** What `#concerning` holds, in statements. */
  #held = 0

  constructor(statements: readonly Statement[]) {
    this.statements = statements
  }

  /** The statements about a permission that are, or may be, about the principal of `rights`. */
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

  /** Everybody in a workspace, for every permission, would be more than the server has room for. */
  #forgetConcerning(): void {
    this.#concerning = { ALLOW: new WeakMap(), DENY: new WeakMap() }
    this.#held = 0
  }

  /** Found out when a permission is first asked about. */
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

/** How many workspaces' policies are kept. */
const maxWorkspaces = 10_000

/** What all that is kept weighs: some 250 MB, or a few workspaces that have all they may. */
const maxWeight = 2_000_000

/** About the number of strings that a statement is made of. */
const weightOf = ({ conditionText, exceptPrincipals, principals, resources }: Statement): number =>
  1 +
  principals.direct.size +
  principals.roles.length +
  exceptPrincipals.direct.size +
  exceptPrincipals.roles.length +
  resources.length +
  Math.ceil(conditionText.length / 32)

/** The policies of workspaces. Once it is known which have any, the others are not read. */
export class WorkspacePolicies {
  readonly #reader: Reader
  readonly #indexes: LoadingCache<PolicyIndex>
  /** Workspaces that may have policies: those that had some at one moment, and those that changed since. */
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

  /** The workspaces that may have policies. */
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
      // All may have changed while they were counted.
      if (this.#resets === resets) this.#isCounted = true
    } finally {
      this.#counted = undefined
    }
  }
}
