import type { NetworkClient } from '../../../../../output/network/client.ts'
import type { NetworkOperation } from '../../../../../output/network/types.ts'
import type { CallOptions } from '../../../../../runtime/transport.ts'
import type { Make, Steps } from '../../../../areas/kill/run-load.ts'
import { seeded } from '../../../../areas/random.ts'
import type { Intent, Sets } from '../../../../server/killed/journal.ts'
import { tcp } from '../rule-bodies.ts'

/** The dependencies of an actor. */
export interface ActorParts {
  readonly client: NetworkClient
  readonly make: Make
  /** The prefix of the names of all rules of the actor. */
  readonly name: string
  readonly workspace: string
  readonly policy: string
  /** The first of the 1,000 priorities that only this actor uses. */
  readonly firstPriority: number
}

interface Rule {
  readonly name: string
  readonly id: string
}

type Run = (options: CallOptions) => Promise<NetworkOperation>

const mostRules = 4

/** An actor that adds, changes and removes its own rules in a policy that all actors share, sequentially. */
export class RuleActor implements Steps {
  readonly #parts: ActorParts
  readonly #random = seeded(process.pid + performance.now())
  #rules: readonly Rule[] = []
  #count = 0

  constructor(parts: ActorParts) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    if (this.#rules.length === 0 || (this.#rules.length < mostRules && this.#random.percent(40))) return this.#add()
    const rule = this.#random.oneOf(this.#rules)
    return this.#random.percent(30) ? this.#remove(rule) : this.#update(rule)
  }

  get #path() {
    const { policy: firewall_policy, workspace } = this.#parts
    return { workspace, engine: 'native', firewall_policy }
  }

  #do(operationType: Intent['operationType'], thing: string, sets: Sets, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    return this.#parts.make({ intent, operationType, resourceType: 'firewallPolicyRules', thing, sets }, run)
  }

  async #add(): Promise<void> {
    const { client, firstPriority, name: prefix } = this.#parts
    const name = `${prefix}-rule-${this.#count}`
    // A priority is free again after 1,000 calls, because no rule lives that long.
    const rule = tcp(name, firstPriority + (this.#count % 1000))
    const operation = await this.#do('CREATE', name, { description: '' }, options =>
      client.addFirewallPolicyRule({ ...this.#path, body: { rule } }, options),
    )
    if (operation) this.#rules = [...this.#rules, { name, id: operation.resource_id }]
  }

  async #update({ id: rule_id, name }: Rule): Promise<void> {
    const description = `change ${this.#count}`
    const body = { rule_id, rule: { description }, update_mask: 'description' }
    await this.#do('UPDATE', name, { description }, options =>
      this.#parts.client.updateFirewallPolicyRule({ ...this.#path, body }, options),
    )
  }

  async #remove(rule: Rule): Promise<void> {
    const body = { rule_id: rule.id }
    await this.#do('DELETE', rule.name, null, options =>
      this.#parts.client.removeFirewallPolicyRule({ ...this.#path, body }, options),
    )
    this.#rules = this.#rules.filter(other => other !== rule)
  }
}
