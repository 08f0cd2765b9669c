import type { HeldBinding, HeldBindings } from './held-bindings.ts'
import { PermissionSet } from './permission-set.ts'
import type { Chain } from './scope-chains.ts'
import type { Attributes, Verdict } from '../conditions/condition.ts'

/** A binding with the permissions of its role. */
export interface Grant {
  readonly binding: HeldBinding
  readonly permissions: PermissionSet
}

/** The rights of a principal at a scope from its bindings on the chain, valid for a span of time. */
export class RightsAt {
  readonly held: HeldBindings
  readonly chain: Chain
  /** The permissions of the unconditional bindings. */
  readonly unconditional: PermissionSet
  /** The unexpired bindings, nearest scope first. */
  readonly grants: readonly Grant[]
  readonly #conditional: readonly Grant[]
  /** The grants, keyed by role; computed when a statement first names a role. */
  #byRole: ReadonlyMap<string, readonly Grant[]> | undefined
  readonly #from: number
  readonly #until: number

  /** `roleOf` returns the permissions of a role, and must know every role of the bindings on the chain. */
  constructor(held: HeldBindings, chain: Chain, roleOf: (id: string) => PermissionSet, now: number) {
    this.held = held
    this.chain = chain
    const onChain = bindingsOn(held, chain)
    const lasting = onChain.filter(({ expiresAt }) => expiresAt > now)
    this.grants = lasting.map(binding => ({ binding, permissions: roleOf(binding.roleId) }))
    this.#conditional = this.grants.filter(({ binding }) => binding.condition !== undefined)
    this.unconditional = PermissionSet.union(unconditionalOf(this.grants).map(({ permissions }) => permissions))
    this.#until = Math.min(...lasting.map(({ expiresAt }) => expiresAt))
    this.#from = Math.max(...onChain.filter(({ expiresAt }) => expiresAt <= now).map(({ expiresAt }) => expiresAt))
  }

  /**
   * Returns whether this object is valid at `now`: no binding expires between the time for which the object was made
   * and `now`.
   */
  isFor(now: number): boolean {
    return now < this.#until && now >= this.#from
  }

  /** Returns the ids of the unconditional bindings that grant a permission. */
  unconditionalIds(bit: number): readonly string[] {
    const giving = unconditionalOf(this.grants).filter(({ permissions }) => permissions.has(bit))
    return giving.map(({ binding }) => binding.id)
  }

  /** Returns the conditional bindings whose role has a permission. */
  conditional(bit: number): readonly HeldBinding[] {
    if (this.#conditional.length === 0) return none
    return this.#conditional.filter(({ permissions }) => permissions.has(bit)).map(({ binding }) => binding)
  }

  /**
   * Returns whether the principal has a role here; undefined if undecided conditions of bindings determine the result.
   */
  holdsRole(role: string, attributes?: Attributes): Verdict {
    let verdict: Verdict = false
    for (const { binding } of this.#grantsOf(role)) {
      const found = binding.condition === undefined ? true : attributes && binding.condition.decide(attributes)
      if (found) return true
      if (found === undefined) verdict = undefined
    }
    return verdict
  }

  /** Returns whether a condition of a binding with this role uses the resource. */
  roleAsksForResource(role: string): boolean {
    return this.#grantsOf(role).some(({ binding }) => binding.condition?.asksForResource)
  }

  #grantsOf(role: string): readonly Grant[] {
    this.#byRole ??= Map.groupBy(this.grants, ({ binding }) => binding.roleId)
    return this.#byRole.get(role) ?? noGrants
  }
}

const none: readonly HeldBinding[] = []
const noGrants: readonly Grant[] = []

/** Returns the bindings of a principal at the scopes of a chain, nearest scope first, including expired bindings. */
export const bindingsOn = ({ at }: HeldBindings, { keys }: Chain): readonly HeldBinding[] =>
  keys.flatMap(key => at.get(key) ?? [])

const unconditionalOf = (grants: readonly Grant[]): readonly Grant[] =>
  grants.filter(({ binding }) => binding.condition === undefined)
