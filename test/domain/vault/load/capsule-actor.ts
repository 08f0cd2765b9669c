import type { VaultCredentialOperation } from '../../../../output/vault/types.ts'
import type { Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent } from '../../../server/killed/journal.ts'
import { base64, engine } from '../tenant-secrets.ts'
import { answered, type VaultActing } from './acting.ts'

interface KnownCapsule {
  readonly name: string
  readonly id: string
  readonly token: string
  readonly text: string
}

const mostCapsules = 4

/** The number of ended capsules that the actor tries to redeem again. */
const mostEnded = 10

/**
 * An actor that sequentially creates, redeems and revokes capsules, and tries to redeem ended capsules again. The actor
 * proves every answer that contradicts an acknowledged end.
 */
export class CapsuleActor implements Steps {
  readonly #parts: VaultActing
  readonly #random = seeded(process.pid + performance.now())
  #active: readonly KnownCapsule[] = []
  #ended: readonly KnownCapsule[] = []
  #count = 0

  constructor(parts: VaultActing) {
    this.#parts = parts
  }

  step(): Promise<void> {
    const isFew = this.#active.length < mostCapsules
    if (this.#active.length === 0 || (isFew && this.#random.percent(40))) return this.#create()
    if (this.#ended.length > 0 && this.#random.percent(30)) return this.#redeemAgain(this.#random.oneOf(this.#ended))
    const capsule = this.#random.oneOf(this.#active)
    return this.#random.percent(70) ? this.#redeem(capsule) : this.#revoke(capsule)
  }

  #intent(operationType: 'CREATE' | 'REVOKE', thing: string): Intent {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const sets = { isRevoked: String(operationType === 'REVOKE') }
    return { intent, operationType, resourceType: 'capsules', thing, sets }
  }

  async #create(): Promise<void> {
    const { client, make, name: prefix, prove, workspace } = this.#parts
    const name = `${prefix}-capsule-${this.#count}`
    const text = `text of ${name}`
    const body = { name, payload: { data: base64(text) } }
    const operation = await make<VaultCredentialOperation>(this.#intent('CREATE', name), options =>
      client.createCapsule({ workspace, engine, body }, options),
    )
    if (!operation) return
    // A replayed answer has no token, so nobody can open the capsule.
    const { credential, resource_id: id } = operation
    const capsule = { name, id, token: credential?.token ?? '', text }
    if (capsule.token === '') return this.#revoke(capsule)
    prove({ kind: 'capsule', id, token: capsule.token, text })
    this.#active = [...this.#active, capsule]
  }

  async #redeem(capsule: KnownCapsule): Promise<void> {
    const { id, name, text, token } = capsule
    const { client, prove } = this.#parts
    const { refused, value, wasLost } = await answered(() => client.redeemCapsule({ id, body: { token } }))
    this.#end(capsule)
    if (value) prove({ kind: 'redeemed', id })
    if (value && value.payload.data !== base64(text)) this.#fault(`${name} held another text`)
    // An attempt without a response may have redeemed the capsule; nobody gets the payload then.
    if (refused !== undefined && !(wasLost && refused === 'CAPSULE_NOT_ACTIVE'))
      this.#fault(`the redemption of ${name} was refused: ${refused}`)
  }

  async #redeemAgain({ id, name, token }: KnownCapsule): Promise<void> {
    const { refused } = await answered(() => this.#parts.client.redeemCapsule({ id, body: { token } }))
    if (refused !== 'CAPSULE_NOT_ACTIVE') this.#fault(`${name} has ended, and answered ${refused ?? 'its payload'}`)
  }

  async #revoke(capsule: KnownCapsule): Promise<void> {
    const { client, make, workspace } = this.#parts
    await make(this.#intent('REVOKE', capsule.name), options =>
      client.revokeCapsule({ workspace, engine, id: capsule.id, body: {} }, options),
    )
    this.#end(capsule)
  }

  #end(capsule: KnownCapsule): void {
    this.#active = this.#active.filter(each => each !== capsule)
    if (capsule.token !== '') this.#ended = [...this.#ended, capsule].slice(-mostEnded)
  }

  #fault(message: string): void {
    this.#parts.prove({ kind: 'fault', message })
  }
}
