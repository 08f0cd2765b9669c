import type { Ninefold } from '../../../../output/client.ts'
import type { RetentionRule, RetentionRuleInput } from '../../../../output/registry/types.ts'
import type { ArtifactFacts } from '../../../../domain/registry/retention/match-rule.ts'
import type { Random } from '../../../areas/random.ts'
import type { HeldRetention } from '../retention/held-retention.ts'
import { deleting, keeping } from '../retention/one-store/facts.ts'
import { naiveDecisions } from '../retention/one-store/naive-decisions.ts'
import { drop, keep } from '../retention/ruled-repository.ts'
import type { RepositoryModel } from './repository-model.ts'
import type { ModelRetentionPolicy, WorkspaceModel } from './workspace-model.ts'

/** The largest number of retention policies. */
const mostPolicies = 3

/** The rules of the policies: at most some artifacts match, so that runs leave some. */
const ruleSets: readonly (readonly RetentionRuleInput[])[] = [
  [drop('untagged', { tag_state: 'REGISTRY_TAG_STATE_UNTAGGED' })],
  [drop('dev', { tag_patterns: ['dev-*'] })],
  [drop('others', { kinds: ['REGISTRY_ARTIFACT_KIND_ARTIFACT'] }), keep('latest', { tag_patterns: ['latest'] })],
  [drop('versions', { exclude_tag_patterns: ['v1'], tag_state: 'REGISTRY_TAG_STATE_TAGGED' })],
  [keep('images', { kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'] })],
  [keep('v2', { tag_patterns: ['v2'] })],
]

/** Random changes of retention policies and runs that enforce them, which a model makes too. */
export class RetentionMutations {
  api: Ninefold
  readonly #workspace: WorkspaceModel
  readonly #random: Random
  readonly #runs: Pick<HeldRetention, 'begin' | 'work'>
  readonly #at: { readonly workspace: string; readonly engine: string }
  readonly #names: ReadonlyMap<string, string>
  #made = 0

  constructor(
    api: Ninefold,
    {
      model,
      names,
      random,
      workspace,
    }: {
      readonly model: WorkspaceModel
      /** The names of the repositories under `/v2/`, keyed by their ids. */
      readonly names: ReadonlyMap<string, string>
      readonly random: Random
      readonly workspace: string
    },
    runs: Pick<HeldRetention, 'begin' | 'work'>,
  ) {
    this.api = api
    this.#workspace = model
    this.#names = names
    this.#random = random
    this.#runs = runs
    this.#at = { workspace, engine: 'native' }
  }

  /** Creates, changes or deletes a policy, and waits for the trial, which deletes nothing. */
  async changePolicies(name: string): Promise<void> {
    const { registry } = this.api
    const policies = this.#workspace.retentionPolicies
    const wanted: ModelRetentionPolicy = {
      pattern: this.#random.oneOf(['*', ownName(name)]),
      isEnabled: this.#random.percent(80),
      rules: this.#random.oneOf(ruleSets),
    }
    if (policies.size === 0 || (policies.size < mostPolicies && this.#random.percent(40))) {
      const body = { name: `retention-${(this.#made += 1)}`, schedule: '0 0 1 1 *', ...bodyOf(wanted) }
      const made = await registry.waitOperation(await registry.createRetentionPolicy({ ...this.#at, body }))
      policies.set(made.resource_id, wanted)
      return this.#tried(made.resource_id)
    }
    const [id] = this.#random.oneOf([...policies])
    if (this.#random.percent(30)) {
      await registry.deleteRetentionPolicy({ ...this.#at, id })
      policies.delete(id)
      return undefined
    }
    const update_mask = 'repository_patterns,enabled,rules'
    const begun = await registry.updateRetentionPolicy({ ...this.#at, id, update_mask, body: bodyOf(wanted) })
    await registry.waitOperation(begun)
    policies.set(id, wanted)
    return undefined
  }

  /** Runs a policy as its schedule does. */
  async run(): Promise<void> {
    const policies = this.#workspace.retentionPolicies
    if (policies.size === 0) return
    const [id, policy] = this.#random.oneOf([...policies])
    await this.#runs.begin(id)
    await this.#runs.work(id)
    let removed = 0
    for (const [repository, model] of this.#workspace.repositories)
      if (policy.isEnabled && this.#isAbout(policy, repository)) removed += this.#enforce(policy, repository, model)
    this.#workspace.record(removed > 0 ? 'run with removals' : 'run', 'OK', [])
  }

  /** Checks that a trial has examined the artifacts of its repositories, and deleted none. */
  async #tried(id: string): Promise<void> {
    const policy = this.#workspace.retentionPolicies.get(id)
    const { last_evaluation } = await this.api.registry.getRetentionPolicy({ ...this.#at, id })
    let examined = 0
    for (const [repository, { artifacts }] of this.#workspace.repositories)
      if (policy && this.#isAbout(policy, repository)) examined += artifacts.size
    const found = [last_evaluation?.mode, last_evaluation?.examined, last_evaluation?.deleted]
    const expected = ['REGISTRY_RETENTION_MODE_DRY_RUN', examined, 0]
    if (String(found) !== String(expected)) throw new Error(`a trial says ${found.join()}, not ${expected.join()}`)
  }

  #isAbout({ pattern }: ModelRetentionPolicy, repository: string): boolean {
    return pattern === '*' || pattern === ownName(this.#names.get(repository) ?? '')
  }

  /** Removes from the model of a repository what a policy deletes; returns the number of artifacts and tags. */
  #enforce(policy: ModelRetentionPolicy, repository: string, model: RepositoryModel): number {
    const others = [...this.#workspace.retentionPolicies.values()].filter(
      other => other !== policy && other.isEnabled && this.#isAbout(other, repository),
    )
    const { deleted, untagged } = naiveDecisions({
      artifacts: factsOf(model),
      deleting: policy.rules.filter(deletes).map(wholeRule),
      keeping: [policy, ...others].flatMap(({ rules }) => rules.filter(rule => !deletes(rule)).map(wholeRule)),
      immutable: new Set([...model.tags.keys()].filter(tag => model.isFixed(tag))),
      nowMs: 0,
    })
    for (const pair of untagged) model.tags.delete(pair.split(' ')[1] ?? '')
    for (const digest of deleted) {
      const artifact = model.artifacts.get(digest)
      if (artifact) model.drop(artifact)
    }
    return deleted.size + untagged.size
  }
}

const ownName = (name: string): string => name.split('/').at(-1) ?? ''

const deletes = ({ action }: RetentionRuleInput): boolean => action === 'REGISTRY_RETENTION_ACTION_DELETE'

/** Returns a rule with the defaults of its members. */
const wholeRule = (rule: RetentionRuleInput): RetentionRule => {
  const { action: _action, id = '', ...conditions } = rule
  return (deletes(rule) ? deleting : keeping)(id, conditions)
}

const bodyOf = ({ isEnabled, pattern, rules }: ModelRetentionPolicy) => ({
  mode: 'REGISTRY_RETENTION_MODE_ENFORCE' as const,
  enabled: isEnabled,
  repository_patterns: [pattern],
  rules: [...rules],
})

/** Returns the facts of the artifacts of a model; no rule is about their ages. */
const factsOf = (model: RepositoryModel): readonly ArtifactFacts[] =>
  [...model.artifacts.values()].map(({ digest, kind, subject = '' }) => ({
    digest,
    kind: `REGISTRY_ARTIFACT_KIND_${kind}`,
    tags: model.tagsOf(digest),
    pushedMs: 0,
    pulledMs: 0,
    parents: [...model.artifacts.values()].filter(({ children }) => children.includes(digest)).map(each => each.digest),
    subject,
    isLocked: model.isLocked(digest),
  }))
