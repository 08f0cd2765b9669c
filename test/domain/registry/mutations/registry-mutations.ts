import type { Ninefold } from '../../../../output/client.ts'
import type { Random } from '../../../areas/random.ts'
import { outcomeOf } from '../../outcomes.ts'
import type { OciClient } from '../oci-client.ts'
import { ContentMutations, tagNames, type NamedModel } from './content-mutations.ts'
import type { HeldRetention } from '../retention/held-retention.ts'
import { RetentionMutations } from './retention-mutations.ts'
import { RepositoryModel, type ModelDenial } from './repository-model.ts'
import { ScanMutations } from './scan-mutations.ts'
import { WorkspaceModel } from './workspace-model.ts'

/** The largest number of repositories, which a quota limit sets too. */
export const mostRepositories = 4

/** The clients of the calls. */
export interface MutationClients {
  readonly api: Ninefold
  readonly oci: OciClient
}

/** The workspaces of the calls. */
export interface MutationPlace {
  /** The names of the organisation and the workspace, joined by a slash. */
  readonly path: string
  readonly workspace: string
  /** The workspace to which grants are given. */
  readonly friend: string
}

const enumsOf = (kinds: readonly string[]) =>
  (['IMAGE', 'INDEX', 'ARTIFACT'] as const)
    .filter(kind => kinds.includes(kind))
    .map(kind => `REGISTRY_ARTIFACT_KIND_${kind}` as const)

/** Random mutations of the repositories of a workspace by both interfaces, which a model makes too. */
export class RegistryMutations {
  readonly model = new WorkspaceModel()
  readonly #names = new Map<string, string>()
  readonly #content: ContentMutations
  readonly scans: ScanMutations
  readonly #retention: RetentionMutations
  readonly #random: Random
  readonly #place: MutationPlace
  #api: Ninefold
  #made = 0
  #bytesLimit: string | undefined
  /** The ids of the limits of artifacts, keyed by repository. */
  readonly #artifactLimits = new Map<string, string>()
  /** The ids of the grants, keyed by repository. */
  readonly #grants = new Map<string, string>()

  constructor(
    { api, oci }: MutationClients,
    place: MutationPlace,
    random: Random,
    runs: Pick<HeldRetention, 'begin' | 'work'>,
  ) {
    const { workspace } = place
    const [model, names] = [this.model, this.#names]
    this.#api = api
    this.#place = place
    this.#random = random
    this.#content = new ContentMutations(oci, model, random, names)
    this.scans = new ScanMutations({ api, oci }, model, random, workspace)
    this.#retention = new RetentionMutations(api, { model, names, random, workspace }, runs)
  }

  /** Replaces the clients, whose tokens expire. */
  renew({ api, oci }: MutationClients): void {
    this.#api = api
    this.#content.oci = oci
    this.scans.clients = { api, oci }
    this.#retention.api = api
  }

  /** The names of the repositories under `/v2/`, keyed by their ids. */
  get names(): ReadonlyMap<string, string> {
    return this.#names
  }

  /** Makes a random mutation. Throws if its outcome is not one of the model. */
  async step(): Promise<void> {
    if (this.model.repositories.size === 0) return this.#createRepository()
    const [id, model] = this.#random.oneOf([...this.model.repositories])
    const repository = { id, model, name: this.#names.get(id) ?? '' }
    const content = this.#content
    const steps: readonly (readonly [weight: number, step: () => Promise<void>])[] = [
      [18, () => content.upload(repository)],
      [3, () => content.giveUp(repository)],
      [7, () => content.mount(repository)],
      [5, () => content.deleteBlob(repository)],
      [20, () => content.pushImage(repository)],
      [7, () => content.pushIndex(repository)],
      [8, () => content.deleteManifest(repository)],
      [6, () => this.#deleteArtifact(repository)],
      [4, () => this.#deleteTag(repository)],
      [5, () => this.#changeLocks(repository)],
      [5, () => this.#changePolicies(repository)],
      [4, () => this.#updateRepository(repository)],
      [3, () => this.#limitBytes()],
      [2, () => this.#limitArtifacts(repository)],
      [2, () => this.#changeGrant(repository)],
      [2, () => this.#createRepository()],
      [2, () => this.#deleteRepository(repository)],
      [6, () => this.scans.scan(repository)],
      [6, () => this.scans.pull(repository)],
      [3, () => this.scans.changePolicies(repository)],
      [3, () => this.#retention.changePolicies(repository.name)],
      [2, () => this.#retention.run()],
    ]
    await this.#random.oneOf(steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step)))()
  }

  get #native() {
    return { workspace: this.#place.workspace, engine: 'native' }
  }

  #deleteArtifact({ id, model }: NamedModel): Promise<void> {
    const reference = this.#random.oneOf([...model.artifacts.keys(), ...tagNames])
    const force = this.#random.percent(50)
    const { workspace } = this.#place
    const hasOthers = model.tags.has(reference) && model.tagsOf(model.tags.get(reference) ?? '').length > 1 && !force
    return this.model.make(
      'deleteArtifact',
      id,
      each => [...(hasOthers ? ['ARTIFACT_HAS_OTHER_TAGS'] : []), ...each.delete(reference, 'ARTIFACT_NOT_FOUND')],
      () => outcomeOf(this.#api.registry.deleteArtifact({ workspace, repository: id, reference, force })),
    )
  }

  #deleteTag({ id, model }: NamedModel): Promise<void> {
    const tag = this.#random.oneOf(tagNames)
    const reference = this.#random.oneOf([...model.artifacts.keys(), tag])
    const { workspace } = this.#place
    return this.model.make(
      'deleteTag',
      id,
      each => (each.find(reference) === each.tags.get(tag) ? each.untag(tag, 'TAG_NOT_FOUND') : ['TAG_NOT_FOUND']),
      () => outcomeOf(this.#api.registry.deleteTag({ workspace, repository: id, reference, tag })),
    )
  }

  async #changeLocks({ id, model }: NamedModel): Promise<void> {
    const { registry } = this.#api
    const at = { workspace: this.#place.workspace, repository: id }
    if (model.locks.size === 0 || this.#random.percent(40)) return this.#createLock(id, model)
    const [lock, { digest }] = this.#random.oneOf([...model.locks])
    if (this.#random.percent(60)) {
      const change = (each: RepositoryModel) => (each.locks.delete(lock) ? [] : ['LOCK_NOT_FOUND'])
      return this.model.make('delete lock', id, change, () =>
        outcomeOf(registry.deleteDeploymentLock({ ...at, id: lock })),
      )
    }
    const protect_tags = this.#random.percent(50)
    const change = (each: RepositoryModel): readonly string[] => {
      const before = each.locks.get(lock)
      const fresh = each.lockOf(digest, protect_tags)
      // A change to the same value changes nothing, so tags that came since stay free.
      if (before && fresh && (!protect_tags || !before.protectsTags)) each.locks.set(lock, fresh)
      return []
    }
    const update = { ...at, id: lock, update_mask: 'protect_tags', body: { protect_tags } }
    await this.model.make('update lock', id, change, () => outcomeOf(registry.updateDeploymentLock(update)))
  }

  async #createLock(id: string, model: RepositoryModel): Promise<void> {
    const reference = this.#random.oneOf([...model.artifacts.keys(), ...tagNames])
    const protect_tags = this.#random.percent(50)
    const body = { reference, reason: 'random', protect_tags }
    const made = { id: '' }
    const lock = model.lockOf(reference, protect_tags)
    const change = () => (lock === undefined ? ['ARTIFACT_NOT_FOUND'] : [])
    await this.model.make('create lock', id, change, () =>
      outcomeOf(
        this.#api.registry
          .createDeploymentLock({ workspace: this.#place.workspace, repository: id, body })
          .then(({ resource_id }) => (made.id = resource_id)),
      ),
    )
    if (lock !== undefined) this.model.of(id).locks.set(made.id, lock)
  }

  async #changePolicies({ id, model }: NamedModel): Promise<void> {
    const { registry } = this.#api
    const at = { ...this.#native, repository: id }
    const denial: ModelDenial = this.#random.oneOf([
      { action: 'PUSH', pattern: 'dev-*' },
      { action: 'DELETE', pattern: 'v?' },
      { action: 'DELETE', pattern: undefined },
    ])
    const rules = [rule(denial)]
    if (model.policies.size === 0) {
      const body = { name: 'denial', rules }
      const { resource_id } = await registry.createRepositoryAccessPolicy({ ...at, body })
      model.policies.set(resource_id, denial)
      return
    }
    const [policy] = this.#random.oneOf([...model.policies])
    if (this.#random.percent(60)) {
      await registry.deleteRepositoryAccessPolicy({ ...at, id: policy })
      model.policies.delete(policy)
      return
    }
    await registry.updateRepositoryAccessPolicy({ ...at, id: policy, update_mask: 'rules', body: { rules } })
    model.policies.set(policy, denial)
  }

  async #updateRepository({ id, model }: NamedModel): Promise<void> {
    const isImmutable = this.#random.percent(30)
    const kinds = this.#random.percent(70) ? [] : ['IMAGE', 'INDEX']
    const exceptions = this.#random.percent(50) ? [] : ['latest', 'dev-*']
    await this.#api.registry.updateRepository({
      ...this.#native,
      id,
      update_mask: 'tag_mutability,immutable_tag_exceptions,allowed_kinds',
      body: {
        tag_mutability: isImmutable ? 'REGISTRY_TAG_MUTABILITY_IMMUTABLE' : 'REGISTRY_TAG_MUTABILITY_MUTABLE',
        immutable_tag_exceptions: exceptions,
        allowed_kinds: enumsOf(kinds),
      },
    })
    Object.assign(model, { isImmutable, kinds, exceptions })
  }

  /** Creates, changes or deletes the limit of stored bytes, which may be below what is stored. */
  async #limitBytes(): Promise<void> {
    const limit = this.#random.oneOf([2500, 5000, 20_000])
    const isGone = this.#random.percent(30)
    this.#bytesLimit = await this.#setLimit('registry.storageBytes', {}, this.#bytesLimit, isGone ? undefined : limit)
    this.model.mostBytes = isGone ? undefined : limit
  }

  async #limitArtifacts({ id, model }: NamedModel): Promise<void> {
    const limit = this.#random.percent(60) ? undefined : this.#random.oneOf([1, 3, 6])
    const before = this.#artifactLimits.get(id)
    const made = await this.#setLimit('registry.artifacts', { repository_id: id }, before, limit)
    if (made === undefined) this.#artifactLimits.delete(id)
    else this.#artifactLimits.set(id, made)
    model.mostArtifacts = limit
  }

  /** Returns the id of the limit; undefined for none. */
  async #setLimit(
    quota_definition_id: string,
    dimensions: Record<string, string>,
    id: string | undefined,
    limit: number | undefined,
  ): Promise<string | undefined> {
    const { registry } = this.#api
    const { workspace } = this.#place
    if (limit === undefined) {
      if (id !== undefined) await registry.deleteQuotaLimit({ workspace, id })
      return undefined
    }
    if (id !== undefined) {
      await registry.updateQuotaLimit({ workspace, id, update_mask: 'limit', body: { limit } })
      return id
    }
    return (await registry.createQuotaLimit({ workspace, body: { quota_definition_id, dimensions, limit } }))
      .resource_id
  }

  async #changeGrant({ id }: NamedModel): Promise<void> {
    const { registry } = this.#api
    const body = { grantee_workspace_id: this.#place.friend, repository_id: id }
    const known = this.#grants.get(id)
    if (known !== undefined && this.#random.percent(50)) {
      await registry.deletePullGrant({ ...this.#native, id: known })
      this.#grants.delete(id)
      return
    }
    const made = { id: '' }
    const grant = registry.createPullGrant({ ...this.#native, body }).then(({ resource_id }) => (made.id = resource_id))
    const reasons = known === undefined ? [] : ['PULL_GRANT_ALREADY_EXISTS']
    if (this.model.record('grant', await outcomeOf(grant), reasons)) this.#grants.set(id, made.id)
  }

  async #createRepository(): Promise<void> {
    const name = `made-${(this.#made += 1)}`
    const made = { id: '' }
    const creation = this.#api.registry
      .createRepository({ ...this.#native, body: { name } })
      .then(({ resource_id }) => (made.id = resource_id))
    const reasons = this.model.repositories.size < mostRepositories ? [] : ['QUOTA_EXCEEDED']
    if (!this.model.record('create repository', await outcomeOf(creation), reasons)) return
    this.#names.set(made.id, `${this.#place.path}/${name}`)
    this.model.repositories.set(made.id, new RepositoryModel())
  }

  async #deleteRepository({ id, model }: NamedModel): Promise<void> {
    const force = this.#random.percent(50)
    const isHeld = model.locks.size > 0
    const reasons = [
      ...(isHeld ? ['ARTIFACT_LOCKED'] : []),
      ...(!force && model.artifacts.size > 0 ? ['REPOSITORY_NOT_EMPTY'] : []),
    ]
    const { registry } = this.#api
    const deletion = registry
      .deleteRepository({ ...this.#native, id, force })
      .then(operation => registry.waitOperation(operation))
    const call = force ? 'delete repository by force' : 'delete repository'
    if (!this.model.record(call, await outcomeOf(deletion), reasons)) return
    this.model.repositories.delete(id)
    this.#names.delete(id)
    this.#grants.delete(id)
    await this.#dropLimit(id)
  }

  /** Deletes the limit of the artifacts of a repository that is gone, which limits nothing. */
  async #dropLimit(id: string): Promise<void> {
    const limit = this.#artifactLimits.get(id)
    if (limit === undefined) return
    await this.#setLimit('registry.artifacts', { repository_id: id }, limit, undefined)
    this.#artifactLimits.delete(id)
  }
}

const rule = ({ action, pattern }: ModelDenial) => ({
  effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
  principals: ['ALL_AUTHENTICATED'],
  actions: [`REGISTRY_ACTION_${action}` as const],
  ...(pattern !== undefined && { tag_patterns: [pattern] }),
})
