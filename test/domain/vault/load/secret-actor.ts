import type { Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent } from '../../../server/killed/journal.ts'
import { base64, engine } from '../tenant-secrets.ts'
import type { VaultActing } from './acting.ts'

interface KnownSecret {
  readonly name: string
  readonly id: string
  readonly latest: number
  readonly description: string
  /** The text of the latest version: empty before the first version, `destroyedText` after its destruction. */
  readonly value: string
}

const mostSecrets = 5

/** The text that a journal has for the payload of a destroyed version. */
export const destroyedText = 'destroyed'

/** An actor that sequentially creates, changes and deletes secrets, and adds and destroys versions. */
export class SecretActor implements Steps {
  readonly #parts: VaultActing
  readonly #random = seeded(process.pid + performance.now())
  #secrets: readonly KnownSecret[] = []
  #count = 0

  constructor(parts: VaultActing) {
    this.#parts = parts
  }

  step(): Promise<void> {
    const isFew = this.#secrets.length < mostSecrets
    if (this.#secrets.length === 0 || (isFew && this.#random.percent(25))) return this.#create()
    const secret = this.#random.oneOf(this.#secrets)
    if (this.#random.percent(50)) return this.#addVersion(secret)
    const isReadable = secret.value !== '' && secret.value !== destroyedText
    if (isReadable && this.#random.percent(30)) return this.#destroy(secret)
    return this.#random.percent(30) ? this.#delete(secret) : this.#update(secret)
  }

  #intent(
    operationType: Intent['operationType'],
    { description, name, value }: Omit<KnownSecret, 'id' | 'latest'>,
    resourceType = 'secrets',
  ): Intent {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const sets = operationType === 'DELETE' ? null : { description, value }
    return { intent, operationType, resourceType, thing: name, sets }
  }

  async #create(): Promise<void> {
    const { client, make, name: prefix, workspace } = this.#parts
    const secret = { name: `${prefix}-secret-${this.#count}`, description: '', value: '' }
    const operation = await make(this.#intent('CREATE', secret), options =>
      client.createSecret({ workspace, engine, body: { name: secret.name } }, options),
    )
    if (operation) this.#secrets = [...this.#secrets, { ...secret, id: operation.resource_id, latest: 0 }]
  }

  async #update(secret: KnownSecret): Promise<void> {
    const { client, make, workspace } = this.#parts
    const changed = { ...secret, description: `change ${this.#count}` }
    const body = { description: changed.description }
    await make(this.#intent('UPDATE', changed), options =>
      client.updateSecret({ workspace, engine, id: secret.id, update_mask: 'description', body }, options),
    )
    this.#replace(secret, changed)
  }

  async #addVersion(secret: KnownSecret): Promise<void> {
    const { client, make, workspace } = this.#parts
    const changed = { ...secret, value: `value ${this.#count}`, latest: secret.latest + 1 }
    const body = { payload: { data: base64(changed.value) } }
    await make(this.#intent('ADD_VERSION', changed, 'secretVersions'), options =>
      client.addSecretVersion({ workspace, engine, secret: secret.id, body }, options),
    )
    this.#replace(secret, changed)
  }

  async #destroy(secret: KnownSecret): Promise<void> {
    const { client, make, workspace } = this.#parts
    const changed = { ...secret, value: destroyedText }
    const path = { workspace, engine, secret: secret.id, id: String(secret.latest) }
    await make(this.#intent('DESTROY', changed, 'secretVersions'), options =>
      client.destroySecretVersion({ ...path, body: {} }, options),
    )
    this.#replace(secret, changed)
  }

  async #delete(secret: KnownSecret): Promise<void> {
    const { client, make, workspace } = this.#parts
    await make(this.#intent('DELETE', secret), options =>
      client.deleteSecret({ workspace, engine, id: secret.id }, options),
    )
    this.#secrets = this.#secrets.filter(each => each !== secret)
  }

  #replace(before: KnownSecret, after: KnownSecret): void {
    this.#secrets = this.#secrets.map(each => (each === before ? after : each))
  }
}
