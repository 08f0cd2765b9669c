import { describe, expect, it, onTestFinished } from 'vitest'
import type { NodeState } from '../../../domain/ports/taxonomy.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { Nodes, state, type Node } from './nodes-by-kind.ts'
import { TreeMaker } from './platform.ts'
import { gate, type Gate } from './scripted-area.ts'
import { patientTimes, scriptedPlatform, within, type ScriptedPlatform } from './scripted-platform.ts'

/** The platform on which work rests for 200 ms after failures; on `patient`, work rests longer than any test. */
const quick = await scriptedPlatform(undefined, script => [script.area('lab', 6_000_000)])
const patient = await scriptedPlatform(patientTimes)

const status = (name: string) => `TAXONOMY_OPERATION_STATUS_${name}`

/** Makes a gate that is opened at the end of the test. */
function gateOfTest(): Gate {
  const made = gate()
  onTestFinished(() => made.open())
  return made
}

/**
 * Makes an organisation with workspaces; each workspace reaches its new state immediately unless the script says
 * otherwise.
 */
async function branch({ client }: ScriptedPlatform, name: string, count = 1) {
  const tree = await TreeMaker.make(client, name)
  const workspaces: string[] = []
  for (let i = 0; i < count; i += 1) workspaces.push(await tree.workspace(`w-${i}`))
  const { organisation } = tree
  const root: Node = { kind: 'organisation', organisation, id: organisation }
  const node = (i: number): Node => ({ kind: 'workspace', organisation, id: workspaces[i] ?? '' })
  return { tree, organisation, workspaces, root, node, first: workspaces[0] ?? '', nodes: new Nodes(client) }
}

const broken = (message: string): ApiError => new ApiError({ reason: 'BROKEN', rpc: 'UNAVAILABLE' }, message)

describe('an area that settles later', () => {
  it('is called again until it has settled, and the operation waits for it', async () => {
    const { first, nodes, root } = await branch(quick, 'later')
    const settled = gateOfTest()
    quick.script.reconcile(first, () => settled.isOpen())
    const operation = await nodes.change('suspend', root)
    await expect.poll(() => quick.script.callsIn(first).length, within).toBeGreaterThan(4)
    expect(await quick.operation(operation.id)).toMatchObject({ status: status('RUNNING'), progress: 0 })
    settled.open()
    expect(await quick.ended(operation)).toMatchObject({ status: status('DONE'), progress: 100, warnings: [] })
    expect(quick.script.told(first)).toEqual(['SUSPENDED'])
    expect(await quick.shelf(first)).toBe('SUSPENDED')
  })

  it('does not hide the progress of others: the progress is the share of completed workspaces', async () => {
    const count = 12
    const { nodes, root, workspaces } = await branch(quick, 'progress', count)
    const gates = workspaces.map(gateOfTest)
    workspaces.forEach((id, i) => quick.script.reconcile(id, () => gates[i]?.isOpen() ?? true))
    const operation = await nodes.change('suspend', root)
    const seen: number[] = []
    // The gates open in reverse order, so the first workspace settles last.
    for (const [i, each] of gates.toReversed().entries()) {
      each.open()
      if (i === count - 1) break
      const expected = Math.floor((99 * (i + 1)) / count)
      await expect.poll(async () => (await quick.operation(operation.id)).progress, within).toBe(expected)
      seen.push(expected)
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(await quick.ended(operation)).toMatchObject({ status: status('DONE'), progress: 100 })
  })
})

describe('an area that fails', () => {
  it.each([1, 2])('%i times and then succeeds does not fail the operation', async times => {
    const { first, nodes, root } = await branch(quick, `fails-${times}`)
    quick.script.reconcile(first, (_, attempt) => {
      if (attempt <= times) throw broken('the hall is locked')
      return true
    })
    const operation = await nodes.change('suspend', root)
    expect(await quick.ended(operation)).toMatchObject({ status: status('DONE'), errors: [], warnings: [] })
    expect(await quick.shelf(first)).toBe('SUSPENDED')
    expect(quick.script.callsIn(first).filter(({ area }) => area === 'depot')).toHaveLength(times + 1)
  })

  it('less than three times in a row does not fail the operation either', async () => {
    const { first, nodes, root } = await branch(patient, 'fails-between')
    patient.script.reconcile(first, (_, attempt) => {
      if (attempt % 3 !== 0) throw broken('the hall is locked')
      return attempt === 9
    })
    const operation = await nodes.change('suspend', root)
    expect(await patient.ended(operation)).toMatchObject({ status: status('DONE'), errors: [] })
    expect(patient.script.callsIn(first)).toHaveLength(9)
  })

  it('three times fails the operation after the work of the others, and is called until it succeeds', async () => {
    const { first, nodes, organisation, root, workspaces } = await branch(quick, 'fails-three', 3)
    const [mended, settled] = [gateOfTest(), gateOfTest()]
    quick.script.reconcile(first, () => {
      if (!mended.isOpen()) throw broken('the hall is locked')
      return true
    })
    quick.script.reconcile(workspaces[2] ?? '', () => settled.isOpen())
    const operation = await nodes.change('suspend', root)
    await expect.poll(() => quick.script.callsIn(first).length, within).toBeGreaterThan(2 * 4)
    expect(await quick.operation(operation.id)).toMatchObject({ status: status('RUNNING'), errors: [] })
    settled.open()
    const description = `workspace w-0 could not become ${state('SUSPENDED')}: depot: the hall is locked`
    expect(await quick.ended(operation)).toMatchObject({
      status: status('ERROR'),
      errors: [{ code: 7003030, reason: 'LIFECYCLE_HOOK_FAILED', description }],
      warnings: [],
    })
    expect(await client(organisation, first)).toMatchObject({ effective_state: state('SUSPENDED') })
    expect(await Promise.all(workspaces.map(id => quick.shelf(id)))).toEqual(['ACTIVE', 'SUSPENDED', 'SUSPENDED'])
    const before = await operationCount()
    mended.open()
    await expect.poll(() => quick.shelf(first), within).toBe('SUSPENDED')
    expect(await operationCount()).toBe(before)
    expect(await quick.operation(operation.id)).toMatchObject({ status: status('ERROR') })
  })

  const client = (organisation: string, id: string) => quick.client.getWorkspace({ organisation, id })

  async function operationCount(): Promise<number> {
    let count = 0
    for await (const _ of quick.client.iterateOperations({ page_size: 100 })) count += 1
    return count
  }

  it('for an internal reason is reported only with its place', async () => {
    const { first, nodes, root } = await branch(patient, 'fails-inside')
    patient.script.reconcile(first, () => {
      throw new Error('password=secret')
    })
    const { errors } = await patient.ended(await nodes.change('archive', root))
    const description = `workspace w-0 could not become ${state('ARCHIVED')}: depot: internal error`
    expect(errors).toEqual([{ code: 7003030, reason: 'LIFECYCLE_HOOK_FAILED', description }])
  })

  it('does not stop the other areas', async () => {
    const { first, nodes, root } = await branch(quick, 'fails-alone')
    quick.script.reconcile(first, () => {
      throw broken('the hall is locked')
    })
    await quick.ended(await nodes.change('suspend', root))
    expect(quick.script.callsIn(first).filter(({ area }) => area === 'lab').length).toBeGreaterThanOrEqual(3)
  })

  it('in several workspaces is reported for each of them', async () => {
    const { nodes, root, workspaces } = await branch(patient, 'fails-often', 5)
    for (const id of workspaces) {
      patient.script.reconcile(id, () => {
        throw broken('the hall is locked')
      })
    }
    const { errors } = await patient.ended(await nodes.change('suspend', root))
    expect(errors.map(({ description }) => /w-\d/.exec(description ?? '')?.[0]).toSorted()).toEqual(
      workspaces.map((_, i) => `w-${i}`),
    )
  })
})

describe('a later verb', () => {
  it('wins: the earlier operation is superseded, and the area reaches the last state', async () => {
    const { first, nodes, organisation, root } = await branch(quick, 'superseded')
    const settled = gateOfTest()
    quick.script.reconcile(first, (to: NodeState) => to === 'ACTIVE' || settled.isOpen())
    const suspended = await nodes.change('suspend', root)
    await expect.poll(() => quick.script.told(first), within).toEqual(['SUSPENDED'])
    const resumed = await nodes.change('resume', root)
    const description = `a later call replaced the state ${state('SUSPENDED')} of ORGANISATION ${organisation}`
    expect(await quick.ended(suspended)).toMatchObject({
      status: status('DONE'),
      errors: [],
      warnings: [{ code: 7003090, description }],
    })
    expect(await quick.ended(resumed)).toMatchObject({ status: status('DONE'), warnings: [] })
    expect(quick.script.told(first)).toEqual(['SUSPENDED', 'ACTIVE'])
    expect(await quick.shelf(first)).toBe('ACTIVE')
  })

  it('supersedes even if a third verb gives the node the same state again', async () => {
    const { first, nodes, root } = await branch(quick, 'superseded-twice')
    const settled = gateOfTest()
    quick.script.reconcile(first, (to: NodeState) => to === 'ACTIVE' || settled.isOpen())
    const suspended = await nodes.change('suspend', root)
    await expect.poll(() => quick.script.told(first), within).toEqual(['SUSPENDED'])
    const resumed = await nodes.change('resume', root)
    const again = await nodes.change('suspend', root)
    settled.open()
    for (const earlier of [suspended, resumed]) {
      expect(await quick.ended(earlier)).toMatchObject({ status: status('DONE'), warnings: [{ code: 7003090 }] })
    }
    expect(await quick.ended(again)).toMatchObject({ status: status('DONE'), warnings: [] })
    expect(await quick.shelf(first)).toBe('SUSPENDED')
  })

  it('on a node above supersedes too', async () => {
    const { first, node, nodes, root } = await branch(quick, 'superseded-above')
    const settled = gateOfTest()
    quick.script.reconcile(first, (to: NodeState) => to !== 'SUSPENDED' || settled.isOpen())
    const suspended = await nodes.change('suspend', node(0))
    const archived = await nodes.change('archive', root)
    expect(await quick.ended(suspended)).toMatchObject({ status: status('DONE'), warnings: [{ code: 7003090 }] })
    expect(await quick.ended(archived)).toMatchObject({ status: status('DONE'), warnings: [] })
    expect(await quick.shelf(first)).toBe('ARCHIVED')
  })

  it('is applied immediately by an area that rests after failures of the earlier verb', async () => {
    const { first, nodes, root } = await branch(patient, 'rests')
    patient.script.reconcile(first, to => {
      if (to === 'SUSPENDED') throw broken('the hall is locked')
      return true
    })
    expect(await patient.ended(await nodes.change('suspend', root))).toMatchObject({ status: status('ERROR') })
    expect(await patient.ended(await nodes.change('resume', root))).toMatchObject({ status: status('DONE') })
    expect(patient.script.told(first)).toEqual(['SUSPENDED', 'ACTIVE'])
    expect(await patient.ended(await nodes.change('archive', root))).toMatchObject({ status: status('DONE') })
    expect(await patient.shelf(first)).toBe('ARCHIVED')
  })

  it('is applied immediately if the third failure of the earlier verb comes after it', async () => {
    const { first, nodes, root } = await branch(patient, 'rests-late')
    const changed = gateOfTest()
    patient.script.reconcile(first, async (to, attempt) => {
      if (to !== 'SUSPENDED') return true
      if (attempt === 3) await changed.passed
      throw broken('the hall is locked')
    })
    const suspended = await nodes.change('suspend', root)
    await expect.poll(() => patient.script.callsIn(first).length, within).toBe(3)
    const archived = await nodes.change('archive', root)
    changed.open()
    expect(await patient.ended(archived)).toMatchObject({ status: status('DONE'), errors: [] })
    expect(await patient.ended(suspended)).toMatchObject({ status: status('DONE'), warnings: [{ code: 7003090 }] })
    expect(await patient.shelf(first)).toBe('ARCHIVED')
  })

  it('has three attempts of its own', async () => {
    const { first, nodes, root } = await branch(patient, 'own-attempts')
    const [changed, called] = [gateOfTest(), gateOfTest()]
    patient.script.reconcile(first, async (to, attempt) => {
      if (to === 'SUSPENDED') {
        if (attempt === 2) called.open()
        if (attempt === 2) await changed.passed
        throw broken('the hall is locked')
      }
      if (attempt < 5) throw broken('the yard is locked')
      return true
    })
    await nodes.change('suspend', root)
    await called.passed
    const archived = await nodes.change('archive', root)
    changed.open()
    expect(await patient.ended(archived)).toMatchObject({ status: status('DONE'), errors: [] })
  })

  it('of many concurrent verbs calls no area twice at a time, and all areas reach the last state', async () => {
    const { nodes, node, root, workspaces } = await branch(quick, 'many', 4)
    for (const id of workspaces) quick.script.reconcile(id, (_, attempt) => attempt % 2 === 0)
    const operations: { readonly id: string }[] = []
    const flip = async (target: Node, rounds: number): Promise<void> => {
      for (let i = 0; i < rounds; i += 1) {
        for (const verb of ['suspend', 'resume'] as const) {
          const answer = await nodes.change(verb, target).catch((error: unknown) => {
            if (!(error instanceof ApiError) || error.rpc !== 'FAILED_PRECONDITION') throw error
          })
          if (answer === undefined) break
          operations.push(answer)
        }
      }
    }
    await Promise.all([flip(root, 12), flip(node(0), 12), flip(node(1), 12)])
    await Promise.all(operations.map(operation => quick.ended(operation)))
    await quick.quiet()
    for (const [i, id] of workspaces.entries()) {
      const { effective_state } = await nodes.get(node(i))
      expect(state((await quick.shelf(id)) ?? '')).toBe(effective_state)
      expect(state(quick.script.told(id).at(-1) ?? 'ACTIVE')).toBe(effective_state)
    }
  })
})
