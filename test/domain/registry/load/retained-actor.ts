import { setTimeout as sleep } from 'node:timers/promises'
import { Ninefold } from '../../../../output/client.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { seeded } from '../../../areas/random.ts'
import { faultOf, ociImage, ociIndex } from '../oci-client.ts'
import { drop, enforce } from '../retention/ruled-repository.ts'
import { dueAtOnce } from '../schedules-ahead.ts'
import { ImageActor, type ImageActing, type KnownImage } from './image-actor.ts'

/** The dependencies of an actor. */
export interface RetainedActing extends ImageActing {
  readonly workspace: string
  /** The id of the actor's own repository. */
  readonly repository: string
}

/** The number of pushes between two runs of the retention policy. */
const pushesPerRun = 3

/**
 * An actor that pushes images which a retention policy deletes, locks some of them, and lists others in indexes that stay.
 * So the registry must have the locked and the listed images, with their blobs.
 */
export class RetainedActor {
  readonly images: ImageActor
  readonly #acting: RetainedActing
  readonly #random = seeded(performance.now())
  /** The images with an acknowledged lock or index. */
  readonly #held: KnownImage[] = []
  #policy = ''
  #count = 0
  #at = 0

  constructor(acting: RetainedActing) {
    this.#acting = acting
    this.images = new ImageActor(acting)
  }

  /** Creates the retention policy. */
  async begin(): Promise<void> {
    const { name, workspace } = this.#acting
    const body = {
      name: 'clean-up',
      schedule: dueAtOnce,
      repository_patterns: [name.split('/').at(-1) ?? ''],
      rules: [drop('dev', { tag_patterns: ['dev-*'] })],
      ...enforce,
    }
    const create = (api: Ninefold) => api.registry.createRetentionPolicy({ workspace, engine: 'native', body })
    this.#policy = (await this.#call(create)).resource_id
  }

  /** Pushes an image, and protects it or not; changes the schedule at times, after which the policy is due again. */
  async step(): Promise<void> {
    const count = (this.#count += 1)
    const image = await this.images.push(`dev-${count}`)
    const choice = this.#random.below(3)
    if (image && choice === 0 && (await this.#lock(image.digest))) this.#held.push(image)
    if (image && choice === 1 && (await this.#list(`index-${count}`, image.digest))) this.#held.push(image)
    if (count % pushesPerRun === 0) await this.runSoon(count % (2 * pushesPerRun) === 0 ? dueAtOnce : '*/1 * * * *')
    this.#acting.answered()
  }

  /** Gives the policy another schedule, by which it is due at once. */
  async runSoon(schedule: string): Promise<void> {
    const at = { workspace: this.#acting.workspace, engine: 'native', id: this.#policy }
    const change = { update_mask: 'schedule', body: { schedule } }
    await this.#call(api => api.registry.updateRetentionPolicy({ ...at, ...change }))
  }

  /** Reads the protected images. */
  async check(): Promise<void> {
    for (const image of this.#held) await this.images.read(image.digest, image)
  }

  /** Locks an image; returns false if the policy has deleted it before. */
  async #lock(reference: string): Promise<boolean> {
    const { repository, workspace } = this.#acting
    const body = { reference, reason: 'in use' }
    const lock = (api: Ninefold) => api.registry.createDeploymentLock({ workspace, repository, body })
    return this.#call(api => lock(api).then(() => true)).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'ARTIFACT_NOT_FOUND') return false
      throw error
    })
  }

  /** Pushes an index with an image; returns false if the policy has deleted the image before. */
  async #list(tag: string, digest: string): Promise<boolean> {
    const body = JSON.stringify({ schemaVersion: 2, manifests: [{ mediaType: ociImage, digest, size: 1 }] })
    const call = { method: 'PUT', headers: { 'content-type': ociIndex }, body }
    const answer = await this.images.send(`/manifests/${tag}`, call)
    if (answer.status !== 201 && faultOf(answer) !== '404 MANIFEST_BLOB_UNKNOWN')
      this.images.faults.push(`the push of ${tag} is ${faultOf(answer)}`)
    return answer.status === 201
  }

  /** Calls one server after the other, until one of them answers. */
  async #call<T>(call: (api: Ninefold) => Promise<T>): Promise<T> {
    const { addresses, password } = this.#acting
    for (;;) {
      const baseUrl = addresses[this.#at % addresses.length] ?? ''
      try {
        return await call(new Ninefold(createTransport({ baseUrl, token: password(), retries: 0 })))
      } catch (error) {
        const isLost = !(error instanceof ApiError) || ['UNAVAILABLE', 'UNAUTHENTICATED'].includes(error.rpc)
        if (!isLost) throw error
      }
      this.#at += 1
      await sleep(20)
    }
  }
}
