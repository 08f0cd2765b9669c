import fc from 'fast-check'
import { expect, it } from 'vitest'
import { postgresUrl } from '../../server/store/harness.ts'
import { oneProcess, thingOutcomeOf } from './arena.ts'
import { Nodes, type StateVerb } from './nodes-by-kind.ts'
import { after, verbs } from './state-model.ts'
import { chain, depth, effective, quotas, TreeModel, type ModelNode, type Outcomes, type Quota } from './tree-model.ts'
import { outcomeOf } from '../outcomes.ts'

/** True on PostgreSQL, where a call takes several times as long and many sequences find no further differences. */
const isOnPostgres = postgresUrl() !== undefined

const arena = await oneProcess()
const { addThing, client } = arena.one
const nodes = new Nodes(client)

/** A call; its numbers choose nodes, names and amounts, modulo their count. */
interface Step {
  readonly call: (typeof calls)[number]
  readonly a: number
  readonly b: number
  readonly c: number
}

const calls = [
  'createGroup',
  'createWorkspace',
  'nest',
  'move',
  'move',
  'move',
  'change',
  'change',
  'delete',
  'delete',
  'createLimit',
  'setLimit',
  'dropLimit',
  'addThing',
  'addThing',
] as const

/** The results that must occur at least once; otherwise the sequences would cover too little. */
const wanted = [
  'create GROUP_ALREADY_EXISTS',
  'create GROUP_DEPTH_EXCEEDED',
  'create GROUP_PARENT_NOT_FOUND',
  'create PARENT_NOT_ACTIVE',
  'create QUOTA_EXCEEDED',
  'create QUOTA_OVERRIDE_ALREADY_EXISTS',
  'create QUOTA_OVERRIDE_SCOPE_INVALID',
  'create WORKSPACE_ALREADY_EXISTS',
  'move GROUP_ALREADY_EXISTS',
  'move GROUP_DEPTH_EXCEEDED',
  'move GROUP_MOVE_CYCLE',
  'move GROUP_STATE_INVALID',
  'move OK',
  'move PARENT_NOT_ACTIVE',
  'move QUOTA_EXCEEDED',
  'restore OK',
  'delete GROUP_NOT_EMPTY',
  'delete GROUP_STATE_INVALID',
  'delete OK',
  'delete WORKSPACE_NOT_EMPTY',
  'delete WORKSPACE_PROTECTED',
  'delete WORKSPACE_STATE_INVALID',
  'add OK',
  'add QUOTA_EXCEEDED',
  'add WORKSPACE_NOT_ACTIVE',
  'add WORKSPACE_NOT_FOUND',
]

const names = ['a', 'b', 'c', 'd', 'e'] as const

/** The results of the calls, each as `<call> <result>`. */
const seen = new Set<string>()

/** A platform and its model, whose results of each call must agree. */
class Comparison {
  readonly #model = new TreeModel()
  readonly #root: ModelNode
  /** The ids of overrides, keyed by node and quota; the id of a deleted override stays. */
  readonly #overrides = new Map<string, string>()

  private constructor(id: string, name: string) {
    this.#root = this.#model.add('ORGANISATION', id, name)
  }

  static async begin(name: string, nesting: number): Promise<Comparison> {
    const { resource_id } = await client.createOrganisation({ body: { name } })
    const made = new Comparison(resource_id, name)
    for (let i = 0; i < nesting; i += 1) await made.#create('GROUP', 'a', made.#deepest)
    return made
  }

  async take({ a, b, c, call }: Step): Promise<void> {
    const name = names[c % names.length] ?? 'a'
    const quota = quotas[b % quotas.length] ?? 'compute.vcpus'
    const [node, other] = [this.#pick(a), this.#pick(b, 'ORGANISATION', 'GROUP')]
    switch (call) {
      case 'createGroup':
        return this.#create('GROUP', name, other)
      case 'createWorkspace':
        return this.#create('WORKSPACE', name, other)
      case 'nest':
        return this.#create('GROUP', name, this.#deepest)
      case 'move':
        return c % 4 === 0
          ? this.#move(this.#model.nodes.at(-1) ?? node, this.#deepest)
          : this.#move(this.#pick(a, 'GROUP', 'WORKSPACE'), other)
      case 'change':
        return this.#change(c % 8 === 0 ? this.#root : node, this.#verb(c, node))
      case 'delete':
        return this.#delete(this.#deletable(a, c), c % 2 === 1)
      case 'createLimit':
        return this.#createLimit(quota, node, c % 4)
      case 'setLimit':
      case 'dropLimit':
        return this.#changeLimit(quota, node, call === 'setLimit' ? (c % 6) - 1 : undefined)
      case 'addThing':
        return this.#addThing(this.#pick(a, 'WORKSPACE'), 1 + (c % 3), (a + b) % 2 === 0)
    }
  }

  /** Checks that every node equals its model. */
  async finish(): Promise<void> {
    for (const node of this.#model.nodes) await this.#compare(node)
    await arena.expectTree(this.#root.id)
  }

  async #create(kind: 'GROUP' | 'WORKSPACE', name: string, parent: ModelNode): Promise<void> {
    const request = { organisation: this.#root.id, body: { name, parent_group_id: this.#parentId(parent) } }
    const expected = this.#model.create(kind, name, parent)
    const call = kind === 'GROUP' ? client.createGroup(request) : client.createWorkspace(request)
    if (await agrees(`create ${kind} ${name} in ${parent.name}`, call, expected)) {
      this.#model.add(kind, (await call).resource_id, name, parent)
    }
  }

  async #move(node: ModelNode, to: ModelNode): Promise<void> {
    if (node.kind === 'ORGANISATION') return
    const expected = this.#model.move(node, to)
    const call = nodes.move(this.#named(node), { parent_group_id: this.#parentId(to) })
    if (await agrees(`move ${node.kind} ${node.name} to ${to.name}`, call, expected)) node.parent = to
  }

  async #change(node: ModelNode, verb: StateVerb): Promise<void> {
    const expected = this.#model.change(node, verb)
    const call = nodes.change(verb, this.#named(node))
    if (await agrees(`${verb} ${node.kind} ${node.name}`, call, expected))
      node.life = after(node.life, verb) ?? node.life
  }

  async #delete(node: ModelNode, force: boolean): Promise<void> {
    if (node === this.#root) return
    const expected = this.#model.delete(node, force)
    const { id, organisation } = this.#named(node)
    const call =
      node.kind === 'GROUP'
        ? client.deleteGroup({ organisation, id })
        : client.deleteWorkspace({ organisation, id, force })
    if (!(await agrees(`delete ${node.kind} ${node.name}${force ? ' by force' : ''}`, call, expected))) return
    const status = async () => (await client.getOperation({ id: (await call).id })).status
    await expect.poll(status, { interval: 2 }).toBe('TAXONOMY_OPERATION_STATUS_DONE')
    Object.assign(node, { isGone: true, vcpus: 0, things: 0 })
  }

  async #createLimit(quota: Quota, node: ModelNode, limit: number): Promise<void> {
    const expected = this.#model.createLimit(quota, node)
    const body = { scope_type: `TAXONOMY_SCOPE_TYPE_${node.kind}`, scope_id: node.id, limit } as const
    const call = client.createQuotaOverride({ quota, body })
    if (!(await agrees(`create limit ${limit} of ${quota} at ${node.kind} ${node.name}`, call, expected))) return
    this.#overrides.set(`${node.id} ${quota}`, (await call).resource_id)
    node.limits.set(quota, limit)
  }

  async #changeLimit(quota: Quota, node: ModelNode, limit: number | undefined): Promise<void> {
    const id = this.#overrides.get(`${node.id} ${quota}`)
    if (id === undefined) return
    const expected = !node.isGone && node.limits.has(quota) ? ['OK'] : ['QUOTA_OVERRIDE_NOT_FOUND']
    const call =
      limit === undefined
        ? client.deleteQuotaOverride({ quota, id })
        : client.updateQuotaOverride({ quota, id, body: { limit } })
    if (!(await agrees(`set limit ${limit} of ${quota} at ${node.kind} ${node.name}`, call, expected))) return
    if (limit === undefined) node.limits.delete(quota)
    else node.limits.set(quota, limit)
  }

  async #addThing(workspace: ModelNode, vcpus: number, is_protected: boolean): Promise<void> {
    if (workspace.kind !== 'WORKSPACE') return
    const expected = this.#model.addThing(workspace, vcpus)
    const outcome = await thingOutcomeOf(addThing(workspace.id, { vcpus, is_protected }))
    seen.add(`add ${outcome}`)
    expect(expected, `add ${vcpus} vcpus to ${workspace.name}`).toContain(outcome)
    if (outcome !== 'OK') return
    workspace.vcpus += vcpus
    workspace.things += 1
    workspace.isProtected ||= is_protected
  }

  async #compare(node: ModelNode): Promise<void> {
    const organisation = this.#root.id
    if (node.isGone) {
      expect(await outcomeOf(nodes.get(this.#named(node)))).toBe(`${node.kind}_NOT_FOUND`)
      return
    }
    const { source, state } = effective(node)
    const below = this.#model.below(node)
    const counts = {
      group_count: below.filter(({ kind }) => kind === 'GROUP').length,
      workspace_count: below.filter(({ kind }) => kind === 'WORKSPACE').length,
    }
    const ancestors = chain(node).slice(0, -1)
    expect(await nodes.get(this.#named(node)), `${node.kind} ${node.name}`).toMatchObject({
      state: `TAXONOMY_LIFECYCLE_STATE_${node.life.state}`,
      effective_state: `TAXONOMY_LIFECYCLE_STATE_${state}`,
      effective_state_source: { scope_type: `TAXONOMY_SCOPE_TYPE_${source.kind}`, scope_id: source.id },
      ...(node.kind !== 'WORKSPACE' && counts),
      ...(node.kind === 'GROUP' && { depth: depth(node) }),
      ...(node.kind !== 'ORGANISATION' && { ancestors: ancestors.map(({ id, name }) => ({ id, name })) }),
    })
    for (const quota of quotas) {
      const scope = { scope_type: `TAXONOMY_SCOPE_TYPE_${node.kind}`, scope_id: node.id } as const
      const told = await client.getEffectiveQuota({ organisation, id: quota, ...scope })
      expect(told, `${quota} at ${node.kind} ${node.name}`).toMatchObject({
        ...this.#model.room(quota, node),
        usage: this.#model.usage(quota, node),
      })
    }
  }

  #pick(number: number, ...kinds: readonly ModelNode['kind'][]): ModelNode {
    const all = this.#model.nodes.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
    return all[number % all.length] ?? this.#root
  }

  /**
   * Returns a verb; three of four verbs are allowed in the node's state, because many states are reached only after
   * several successful calls.
   */
  #verb(number: number, { life }: ModelNode): StateVerb {
    const allowed = verbs.filter(verb => after(life, verb))
    const chosen = number % 4 === 0 ? verbs : allowed
    return chosen[(number >> 3) % chosen.length] ?? 'suspend'
  }

  /** Returns a node to delete; three of four nodes are archived, so that the deletion is allowed. */
  #deletable(number: number, chance: number): ModelNode {
    const archived = this.#model.nodes.filter(node => !node.isGone && effective(node).state === 'ARCHIVED')
    return (chance % 4 > 0 ? archived[number % archived.length] : undefined) ?? this.#pick(number)
  }

  /** The deepest group, or the organisation if there is no group. */
  get #deepest(): ModelNode {
    const all = this.#model.nodes.filter(({ isGone, kind }) => !isGone && kind === 'GROUP')
    return all.reduce((deepest, each) => (depth(each) > depth(deepest) ? each : deepest), this.#root)
  }

  #parentId(parent: ModelNode): string {
    return parent === this.#root ? '' : parent.id
  }

  #named({ id, kind }: ModelNode) {
    const kinds = { ORGANISATION: 'organisation', GROUP: 'group', WORKSPACE: 'workspace' } as const
    return { kind: kinds[kind], organisation: this.#root.id, id }
  }
}

/** Returns true if the call succeeded; checks that the model expects its result. */
async function agrees(what: string, call: Promise<unknown>, expected: Outcomes): Promise<boolean> {
  const outcome = await outcomeOf(call)
  seen.add(`${what.split(' ', 1).join('')} ${outcome}`)
  expect(expected, what).toContain(outcome)
  return outcome === 'OK'
}

const number = fc.nat({ max: 999 })
const step = fc.record<Step>({ call: fc.constantFrom(...calls), a: number, b: number, c: number })
const sequence = fc.record({
  nesting: fc.constantFrom(0, 9, 10),
  steps: fc.array(step, { minLength: 40, maxLength: 40 }),
})

it('a tree equals a simple model after any calls', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(sequence, async ({ nesting, steps }) => {
      count += 1
      const comparison = await Comparison.begin(`tree-${count}`, nesting)
      for (const each of steps) await comparison.take(each)
      await comparison.finish()
    }),
    { seed: 2, numRuns: isOnPostgres ? 15 : 60 },
  )
  await arena.expectHealth()
  if (!isOnPostgres) expect([...seen]).toEqual(expect.arrayContaining(wanted))
})
