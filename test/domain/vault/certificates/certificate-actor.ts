import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readList } from '../../../../domain/vault/revocation/read-list.ts'
import type { VaultClient } from '../../../../output/vault/client.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { Make, Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent } from '../../../server/killed/journal.ts'
import { engine } from '../tenant-secrets.ts'

/** The dependencies of an actor. */
export interface CertificateActorOptions {
  readonly client: VaultClient
  readonly make: Make
  /** The prefix of the names of all certificates that the actor requests. */
  readonly name: string
  readonly workspace: string
  readonly authority: string
}

interface Issued {
  readonly name: string
  readonly id: string
  readonly serial: string
}

const mostLive = 5

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()

/**
 * An actor that sequentially issues and revokes certificates of one authority, and reads the list of the authority. The
 * actor fails if a list lacks a certificate whose revocation was acknowledged, or has a lower number than a list before.
 */
export class CertificateActor implements Steps {
  readonly #parts: CertificateActorOptions
  readonly #random = seeded(process.pid + performance.now())
  readonly #revoked = new Set<string>()
  #live: readonly Issued[] = []
  #number = 0n
  #count = 0

  constructor(parts: CertificateActorOptions) {
    this.#parts = parts
  }

  step(): Promise<void> {
    const isFew = this.#live.length < mostLive
    if (this.#live.length === 0 || (isFew && this.#random.percent(50))) return this.#issue()
    return this.#random.percent(40) ? this.#readList() : this.#revoke(this.#random.oneOf(this.#live))
  }

  get #path() {
    const { authority, workspace } = this.#parts
    return { workspace, engine, certificate_authority: authority }
  }

  #intent(operationType: 'CREATE' | 'REVOKE', thing: string): Intent {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const state = operationType === 'CREATE' ? 'ACTIVE' : 'REVOKED'
    return { intent, operationType, resourceType: 'certificates', thing, sets: { state } }
  }

  async #issue(): Promise<void> {
    const { client, make, name: prefix } = this.#parts
    const name = `${prefix}-certificate-${this.#count}`
    const config = { subject: { common_name: 'www.acme.example' }, public_key_pem }
    const operation = await make(this.#intent('CREATE', name), options =>
      client.createCertificate({ ...this.#path, body: { name, config } }, options),
    )
    if (!operation) return
    const id = operation.resource_id
    const { serial_number: serial } = await answered(() => client.getCertificate({ ...this.#path, id }))
    this.#live = [...this.#live, { name, id, serial }]
  }

  async #revoke({ id, name, serial }: Issued): Promise<void> {
    const { client, make } = this.#parts
    const body = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } as const
    const operation = await make(this.#intent('REVOKE', name), options =>
      client.revokeCertificate({ ...this.#path, id, body }, options),
    )
    this.#live = this.#live.filter(each => each.id !== id)
    if (operation) this.#revoked.add(serial)
  }

  async #readList(): Promise<void> {
    const { authority: id, client, workspace } = this.#parts
    const list = await answered(() => client.getCertificateRevocationList({ workspace, engine, id }))
    const { number, serials } = readList(Buffer.from(list.der_crl, 'base64'))
    const listed = new Set(serials)
    const absent = [...this.#revoked].filter(serial => !listed.has(serial))
    if (absent.length > 0) throw new Error(`list ${number} lacks the revoked serial numbers ${absent.join()}`)
    if (BigInt(number) < this.#number) throw new Error(`list ${number} follows list ${this.#number}`)
    this.#number = BigInt(number)
  }
}

/** Repeats a read while no server is available. */
async function answered<R>(read: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ApiError) || error.rpc !== 'UNAVAILABLE') throw error
      await sleep(50)
    }
  }
}
