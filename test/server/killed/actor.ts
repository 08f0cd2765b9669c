import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import type { CallOptions } from '../../../runtime/transport.ts'
import { shared, type Intent, type Sets } from './journal.ts'

/** The dependencies of an actor. */
export interface ActorOptions {
  readonly client: TaxonomyClient
  /** Repeats a call until the server responds; returns the operation, or undefined if the server refuses the call. */
  readonly make: (
    intent: Intent,
    run: (options: CallOptions) => Promise<TaxonomyOperation>,
  ) => Promise<TaxonomyOperation | undefined>
  /** The prefix of the names of all resources that the actor creates. */
  readonly name: string
  readonly organisation: string
  readonly sharedGroup: string
}

interface Thing {
  readonly name: string
  readonly id: string
  sets: Readonly<Record<string, string>>
}

interface Group extends Thing {
  override?: Thing
}

type What = Pick<Intent, 'operationType' | 'resourceType' | 'thing' | 'sets'>
type Run = (options: CallOptions) => Promise<TaxonomyOperation>

const quota = 'compute.vcpus'
const mostGroups = 4
const mostWorkspaces = 8

const oneOf = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)]

/** An actor of the load, which changes its own resources sequentially, and the group that all actors share. */
export class Actor {
  readonly #parts: ActorOptions
  readonly #groups: Group[] = []
  #workspaces: Thing[] = []
  #made = 0
  #intents = 0

  constructor(parts: ActorOptions) {
    this.#parts = parts
  }

  /** Makes one call, or two consecutive calls. */
  async step(): Promise<void> {
    const groupsFirst = this.#groups.length === 0
    const steps = groupsFirst ? [() => this.#createGroup()] : this.#steps()
    await oneOf(steps)?.()
  }

  #steps(): readonly (() => Promise<unknown>)[] {
    const workspace = oneOf(this.#workspaces)
    const group = oneOf(this.#groups)
    const steps: (() => Promise<unknown>)[] = [() => this.#toggleShared()]
    if (this.#groups.length < mostGroups) steps.push(() => this.#createGroup())
    if (this.#workspaces.length < mostWorkspaces) steps.push(() => this.#createWorkspace())
    else if (workspace) steps.push(() => this.#remove(workspace))
    if (group) steps.push(() => this.#override(group))
    if (!workspace) return steps
    const change = workspace.sets['state'] === 'ACTIVE' ? () => this.#count(workspace) : () => this.#toggle(workspace)
    return [...steps, change, change, () => this.#toggle(workspace), () => this.#move(workspace)]
  }

  /**
   * Reports and makes a call; returns the operation, or undefined for a refusal. The thing takes the values of the call
   * when the server has acknowledged the call.
   */
  async #do(what: What, run: Run, thing?: Thing): Promise<TaxonomyOperation | undefined> {
    const intent = `${this.#parts.name}-${(this.#intents += 1)}`
    const operation = await this.#parts.make({ intent, ...what }, run)
    if (operation && thing && what.sets) thing.sets = what.sets
    return operation
  }

  #change(operationType: Intent['operationType'], workspace: Thing, sets: Sets, run: Run) {
    return this.#do({ operationType, resourceType: 'workspaces', thing: workspace.name, sets }, run, workspace)
  }

  async #create(resourceType: 'groups' | 'workspaces', sets: Record<string, string>): Promise<Thing | undefined> {
    const { client, name: prefix, organisation } = this.#parts
    const name = `${prefix}-${(this.#made += 1)}`
    const body = { name, parent_group_id: sets['parent'] ?? '' }
    const operation = await this.#do({ operationType: 'CREATE', resourceType, thing: name, sets }, options =>
      resourceType === 'groups'
        ? client.createGroup({ organisation, body }, options)
        : client.createWorkspace({ organisation, body }, options),
    )
    return operation && { name, id: operation.resource_id, sets }
  }

  async #createGroup(): Promise<void> {
    const group = await this.#create('groups', { parent: this.#groups.at(-1)?.id ?? '', state: 'ACTIVE' })
    if (group) this.#groups.push(group)
  }

  async #createWorkspace(): Promise<void> {
    const parent = oneOf(this.#groups)?.id ?? ''
    const workspace = await this.#create('workspaces', { parent, state: 'ACTIVE', display_name: '' })
    if (workspace) this.#workspaces.push(workspace)
  }

  #count(workspace: Thing) {
    const display_name = String(Number(workspace.sets['display_name'] ?? '') + 1)
    const { client, organisation } = this.#parts
    return this.#change('UPDATE', workspace, { ...workspace.sets, display_name }, options =>
      client.updateWorkspace({ organisation, id: workspace.id, body: { display_name } }, options),
    )
  }

  #toggle(workspace: Thing) {
    const { client, organisation } = this.#parts
    const request = { organisation, id: workspace.id, body: {} }
    if (workspace.sets['state'] === 'ACTIVE') {
      const sets = { ...workspace.sets, state: 'SUSPENDED' }
      return this.#change('SUSPEND', workspace, sets, options => client.suspendWorkspace(request, options))
    }
    const sets = { ...workspace.sets, state: 'ACTIVE' }
    return this.#change('RESUME', workspace, sets, options => client.resumeWorkspace(request, options))
  }

  #move(workspace: Thing) {
    const { client, organisation } = this.#parts
    const parent = oneOf(this.#groups)?.id ?? ''
    return this.#change('MOVE', workspace, { ...workspace.sets, parent }, options =>
      client.moveWorkspace({ organisation, id: workspace.id, body: { parent_group_id: parent } }, options),
    )
  }

  async #remove(workspace: Thing): Promise<void> {
    const { client, organisation } = this.#parts
    const { id } = workspace
    await this.#change('ARCHIVE', workspace, { ...workspace.sets, state: 'ARCHIVED' }, options =>
      client.archiveWorkspace({ organisation, id, body: {} }, options),
    )
    await this.#change('DELETE', workspace, null, options =>
      client.deleteWorkspace({ organisation, id, force: true }, options),
    )
    this.#workspaces = this.#workspaces.filter(other => other !== workspace)
  }

  async #override(group: Group): Promise<void> {
    const { client } = this.#parts
    const about = { resourceType: 'quotaOverrides', thing: `${group.id} ${quota}` } as const
    const { override } = group
    const limit = Math.floor(Math.random() * 1000)
    const sets = { limit: String(limit) }
    if (!override) {
      const body = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: group.id, limit } as const
      const created = await this.#do({ operationType: 'CREATE', ...about, sets }, options =>
        client.createQuotaOverride({ quota, body }, options),
      )
      if (created) group.override = { name: about.thing, id: created.resource_id, sets }
    } else if (Math.random() < 0.5) {
      await this.#do({ operationType: 'UPDATE', ...about, sets }, options =>
        client.updateQuotaOverride({ quota, id: override.id, body: { limit } }, options),
      )
    } else {
      delete group.override
      await this.#do({ operationType: 'DELETE', ...about, sets: null }, options =>
        client.deleteQuotaOverride({ quota, id: override.id }, options),
      )
    }
  }

  #toggleShared() {
    const { client, organisation, sharedGroup: id } = this.#parts
    const isSuspend = Math.random() < 0.5
    const what = { resourceType: 'groups', thing: shared, sets: {} } as const
    return this.#do({ operationType: isSuspend ? 'SUSPEND' : 'RESUME', ...what }, options =>
      client[isSuspend ? 'suspendGroup' : 'resumeGroup']({ organisation, id, body: {} }, options),
    )
  }
}
