import fc from 'fast-check'
import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { TreeMaker } from './platform.ts'

/** A node of a planned tree: its parent among the earlier groups, and its final state. */
interface NodePlan {
  /**
   * The position of the parent, counted from the last of the earlier groups; a greater number than their count chooses
   * the organisation.
   */
  readonly under: number
  readonly verb: 'suspend' | 'archive' | undefined
  readonly display_name: string
  readonly labels: Readonly<Record<string, string>>
}

const node: fc.Arbitrary<NodePlan> = fc.record({
  under: fc.integer({ min: 0, max: 4 }),
  verb: fc.constantFrom(undefined, undefined, undefined, 'suspend', 'archive'),
  display_name: fc.constantFrom('', 'Web', 'web', 'Zürich', '～', '😀', `it's "one"`),
  labels: fc.constantFrom({}, { env: 'prod' }, { env: 'dev', tier: '' }, { 'a.b': 'x', env: '' }),
})

/**
 * Makes a random tree, which is the same for the same seed; returns the id of the organisation. States are changed from
 * the leaves up.
 */
export async function randomTree(client: TaxonomyClient, name: string, seed: number): Promise<string> {
  const groups = fc.sample(node, { seed, numRuns: 14 })
  const workspaces = fc.sample(node, { seed: seed + 1000, numRuns: 30 })
  const { organisation } = await TreeMaker.make(client, name)
  const made: string[] = []
  for (const [i, { under, display_name, labels }] of groups.entries()) {
    const body = { name: `group-${i}`, parent_group_id: made.at(-1 - under) ?? '', display_name, labels }
    made.push((await client.createGroup({ organisation, body })).resource_id)
  }
  for (const [i, { under, verb, display_name, labels }] of workspaces.entries()) {
    const body = { name: `workspace-${i}`, parent_group_id: made.at(-1 - under * 3) ?? '', display_name, labels }
    const id = (await client.createWorkspace({ organisation, body })).resource_id
    if (verb === 'suspend') await client.suspendWorkspace({ organisation, id, body: {} })
    if (verb === 'archive') await client.archiveWorkspace({ organisation, id, body: { reason: 'done' } })
  }
  for (const [i, id] of [...made.entries()].toReversed()) {
    const verb = groups[i]?.verb
    if (verb === 'suspend') await client.suspendGroup({ organisation, id, body: {} })
    if (verb === 'archive') await client.archiveGroup({ organisation, id, body: {} })
  }
  return organisation
}
