import { setTimeout as nextTry } from 'node:timers/promises'
import type { Random } from '../../../areas/random.ts'
import { uploadInChunks } from '../chunked-upload.ts'
import { digestOf, faultOf, type OciAnswer, type OciCall, type OciClient } from '../oci-client.ts'
import { layerOf } from '../scans/fake-scanner.ts'
import { imageOf, indexOf, type PushedText } from './pushed-manifests.ts'
import type { RepositoryModel } from './repository-model.ts'
import type { WorkspaceModel } from './workspace-model.ts'

/** The package of the layers with a finding. */
export const vulnerable = 'package-3'

/** The text of the layer that no scan takes. */
export const bomb = 'bomb'

/** The texts of the blobs: the config `{}` of every manifest, and layers, of which six have a package of their own. */
export const blobTexts = [
  '{}',
  bomb,
  ...Array.from({ length: 6 }, (_, i) => layerOf(`package-${i}@${'1'.repeat(9 * i + 1)}`)),
]

/** The tags that calls set and delete. */
export const tagNames = ['v1', 'v2', 'dev-1', 'latest']

/** A repository of the model, with its name under `/v2/`. */
export interface NamedModel {
  readonly id: string
  readonly name: string
  readonly model: RepositoryModel
}

/** Random pushes and deletions by OCI clients, which a model makes too. */
export class ContentMutations {
  /** The client; long runs replace it. */
  oci: OciClient
  readonly #workspace: WorkspaceModel
  readonly #random: Random
  readonly #names: ReadonlyMap<string, string>

  /** `names` has the names of the repositories under `/v2/`, keyed by their ids. */
  constructor(oci: OciClient, workspace: WorkspaceModel, random: Random, names: ReadonlyMap<string, string>) {
    this.oci = oci
    this.#workspace = workspace
    this.#random = random
    this.#names = names
  }

  /** Uploads a blob, whole or in chunks. */
  upload({ id, model, name }: NamedModel): Promise<void> {
    const text = this.#random.oneOf(blobTexts)
    const digest = digestOf(text)
    const isWhole = text.length < 3 || this.#random.percent(50)
    return this.#workspace.make(
      'upload',
      id,
      each => {
        each.blobs.set(digest, text.length)
        return this.#growsPast(model, text)
      },
      () =>
        this.#outcome(() =>
          isWhole
            ? this.oci.send(`/v2/${name}/blobs/uploads/?digest=${digest}`, { method: 'POST', body: text })
            : this.#uploadInChunks(name, text),
        ),
      { isPush: true },
    )
  }

  /** Uploads a blob in chunks, and gives a refused upload up, because its bytes would take room of later uploads. */
  async #uploadInChunks(name: string, text: string): Promise<OciAnswer> {
    let location: string | null = null
    const answer = await uploadInChunks(
      async (...call) => {
        const sent = await this.oci.send(...call)
        location ??= sent.headers.get('location')
        return sent
      },
      name,
      text,
    )
    if (answer.status >= 400 && location !== null) await this.#sent(location, { method: 'DELETE' })
    return answer
  }

  /** The bytes of a blob that the repository has already may be refused before their digest is known. */
  #growsPast({ blobs }: RepositoryModel, text: string): readonly string[] {
    const { bytes, mostBytes } = this.#workspace
    const isKnown = blobs.has(digestOf(text))
    return isKnown && mostBytes !== undefined && bytes + text.length > mostBytes ? ['OK', 'QUOTA_EXCEEDED'] : []
  }

  /** Begins an upload and gives it up. */
  async giveUp({ name }: NamedModel): Promise<void> {
    const begun = await this.#sent(`/v2/${name}/blobs/uploads/`, { method: 'POST' })
    const reasons = this.#workspace.isReadOnly ? ['REPOSITORY_READ_ONLY'] : []
    if (!this.#workspace.record('begin upload', outcomeOf(begun), reasons)) return
    const ended = await this.#sent(begun.headers.get('location') ?? '', { method: 'DELETE' })
    this.#workspace.record('give upload up', outcomeOf(ended), [])
  }

  /** Mounts a blob from a named repository or from any. */
  async mount({ id, model, name }: NamedModel): Promise<void> {
    const text = this.#random.oneOf(blobTexts)
    const digest = digestOf(text)
    const [sourceId, source] = this.#random.oneOf([...this.#workspace.repositories])
    const isNamed = this.#random.percent(70)
    const sources = isNamed ? [model, source] : [...this.#workspace.repositories.values()]
    const sourceName = this.#names.get(sourceId)
    const from = isNamed ? `&from=${sourceName}` : ''
    const target = `/v2/${name}/blobs/uploads/?mount=${digest}${from}`
    const change = (each: RepositoryModel) => {
      if (!sources.some(({ blobs }) => blobs.has(digest))) return ['UPLOAD_BEGUN']
      each.blobs.set(digest, text.length)
      return []
    }
    const run = async () => {
      const scopes = [`repository:${name}:pull,push`, `repository:${sourceName}:pull`]
      const answer = await this.#sent(target, { method: 'POST', token: await this.oci.token(...scopes) })
      if (answer.status !== 202) return outcomeOf(answer)
      await this.#sent(answer.headers.get('location') ?? '', { method: 'DELETE' })
      return 'UPLOAD_BEGUN'
    }
    await this.#workspace.make('mount', id, change, run, { isPush: true })
  }

  deleteBlob({ id, name }: NamedModel): Promise<void> {
    const digest = digestOf(this.#random.oneOf(blobTexts))
    return this.#workspace.make(
      'delete blob',
      id,
      model => model.deleteBlob(digest),
      () => this.#outcome(() => this.oci.send(`/v2/${name}/blobs/${digest}`, { method: 'DELETE' })),
    )
  }

  /** Pushes an image or another artifact, after its blobs most of the time. */
  async pushImage(repository: NamedModel): Promise<void> {
    const layers = Array.from({ length: this.#random.below(4) }, () => this.#random.oneOf(blobTexts.slice(1)))
    const isImage = this.#random.percent(60)
    const subject = isImage || this.#random.percent(50) ? undefined : this.#anyDigest(repository.model)
    const note = String(this.#random.below(3))
    await this.#push(repository, imageOf([...new Set(layers)], { isImage, note, subject }))
  }

  /** Pushes an index of manifests, of which one may be absent. */
  async pushIndex(repository: NamedModel): Promise<void> {
    const children = Array.from({ length: this.#random.below(3) }, () => this.#anyDigest(repository.model))
    await this.#push(repository, indexOf([...new Set(children)], String(this.#random.below(3))))
  }

  #push({ id, name }: NamedModel, manifest: PushedText): Promise<void> {
    const { digest, text, type } = manifest
    const isByDigest = this.#random.percent(30)
    const tags = isByDigest && this.#random.percent(60) ? [] : [this.#random.oneOf(tagNames)]
    const query = isByDigest ? tags.map(tag => `?tag=${tag}`).join('') : ''
    const reference = isByDigest ? digest : tags.join('')
    const call = { method: 'PUT', headers: { 'content-type': type }, body: text }
    return this.#workspace.make(
      'push',
      id,
      model => model.push(manifest, tags),
      () => this.#outcome(() => this.oci.send(`/v2/${name}/manifests/${reference}${query}`, call)),
      { isPush: true },
    )
  }

  /** Deletes a manifest by its digest, or a tag. */
  deleteManifest({ id, model, name }: NamedModel): Promise<void> {
    const isByTag = this.#random.percent(40)
    const reference = isByTag ? this.#random.oneOf(tagNames) : this.#anyDigest(model)
    const absent = 'MANIFEST_UNKNOWN'
    return this.#workspace.make(
      isByTag ? 'untag' : 'delete manifest',
      id,
      each => (isByTag ? each.untag(reference, absent) : each.delete(reference, absent)),
      () => this.#outcome(() => this.oci.send(`/v2/${name}/manifests/${reference}`, { method: 'DELETE' })),
    )
  }

  /** Returns the digest of an artifact of the repository, or now and then of none. */
  #anyDigest({ artifacts }: RepositoryModel): string {
    return this.#random.oneOf([...artifacts.keys(), digestOf('no manifest')])
  }

  async #outcome(run: () => Promise<OciAnswer>): Promise<string> {
    return outcomeOf(await patiently(run))
  }

  #sent(target: string, call: OciCall): Promise<OciAnswer> {
    return patiently(() => this.oci.send(target, call))
  }
}

/** Returns `OK`, or the reason of a refusal. */
const outcomeOf = (answer: OciAnswer): string =>
  answer.status < 400 ? 'OK' : (faultOf(answer).split(' ').at(-1) ?? '')

/** Repeats a call while a busy server answers 503. */
async function patiently(run: () => Promise<OciAnswer>): Promise<OciAnswer> {
  for (;;) {
    const answer = await run()
    if (answer.status !== 503) return answer
    await nextTry(50)
  }
}
