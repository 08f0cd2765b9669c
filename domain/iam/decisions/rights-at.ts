import type { HeldBinding, HeldBindings } from './held-bindings.ts'
import { PermissionSet } from './permission-set.ts'
import type { Chain } from './scope-chains.ts'
import type { Attributes, Verdict } from '../conditions/condition.ts'

/** A binding with what its role gives. */
export interface Grant {
  readonly binding: HeldBinding
  readonly permissions: PermissionSet
}

/** What the bindings of a principal give at a scope, from the chain above too, during a stretch of time. */
export class RightsAt {
  readonly held: HeldBindings
  readonly chain: Chain
  /** What holds without a condition. */
  readonly unconditional: PermissionSet
  /** The bindings that have not expired, the nearest scope first. */
  readonly grants: readonly Grant[]
  readonly #conditional: readonly Grant[]
  /** Found out when a statement first asks for a role. */
  #byRole: ReadonlyMap<string, readonly Grant[]> | undefined
  readonly #from: number
  readonly #until: number

  /** `roleOf` answers what a role gives; all roles of the bindings on the chain are known. */
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

  /** Whether nothing has expired between the moment it was made for and `now`. */
  isFor(now: number): boolean {
    return now < this.#until && now >= this.#from
  }

  /** The ids of the bindings that give a permission without a condition. */
  unconditionalIds(bit: number): readonly string[] {
    const giving = unconditionalOf(this.grants).filter(({ permissions }) => permissions.has(bit))
    return giving.map(({ binding }) => binding.id)
  }

  /** The bindings that give a permission when their condition holds. */
  conditional(bit: number): readonly HeldBinding[] {
    if (this.#conditional.length === 0) return none
    return this.#conditional.filter(({ permissions }) => permissions.has(bit)).map(({ binding }) => binding)
  }

  /** Whether a role is held here; undefined before `attributes` are known where it hangs on conditions alone. */
  holdsRole(role: string, attributes?: Attributes): Verdict {
    let verdict: Verdict = false
    for (const { binding } of this.#grantsOf(role)) {
      const found = binding.condition === undefined ? true : attributes && binding.condition.decide(attributes)
      if (found) return true
      if (found === undefined) verdict = undefined
    }
    return verdict
  }

  /** Whether a condition of a binding of the role asks for the resource. */
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

/** The bindings of a principal at any scope of a chain, expired ones too, the nearest first. */
export const bindingsOn = ({ at }: HeldBindings, { keys }: Chain): readonly HeldBinding[] =>
  keys.flatMap(key => at.get(key) ?? [])

const unconditionalOf = (grants: readonly Grant[]): readonly Grant[] =>
  grants.filter(({ binding }) => binding.condition === undefined)
