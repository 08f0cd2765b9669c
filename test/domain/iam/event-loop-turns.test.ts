import { describe, expect, it } from 'vitest'
import type { Decision, Decisions } from '../../../domain/iam/interfaces/decisions.ts'
import { ScopeAccess } from '../../../domain/iam/grants/scope-access.ts'
import { Turns } from '../../../domain/iam/decisions/event-loop-turns.ts'
import { world } from './administration.ts'
import { valueOf } from '../outcomes.ts'

/** Blocks the thread for longer than the limit of uninterrupted work. */
function work(): void {
  for (const until = performance.now() + 11; performance.now() < until;);
}

/** Returns the number of timer callbacks that run during a task. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const take = (): void => {
    turns += 1
    if (!isOver) setTimeout(take, 0)
  }
  setTimeout(take, 0)
  await run()
  isOver = true
  return turns
}

describe('a long series of decisions', () => {
  it('continues in the same turn while the turn is short', () => {
    expect(new Turns().next()).toBeUndefined()
  })

  it('yields to other work after a long turn', async () => {
    const turns = new Turns()
    const had = await turnsDuring(async () => {
      for (let i = 0; i < 3; i += 1) {
        work()
        await turns.next()
      }
    })
    expect(had).toBeGreaterThanOrEqual(3)
    expect(turns.next()).toBeUndefined()
  })

  it('yields between the permissions of a test', async () => {
    const w = await world()
    const granted: Decision = { reason: 'GRANTED', bindingIds: [], policyId: '' }
    const decide = async (): Promise<Decision> => {
      work()
      return granted
    }
    const real = w.parts.decisions
    const decisions: Decisions = {
      decide,
      visible: (...asked) => real.visible(...asked),
      hangsOnResource: (...asked) => real.hangsOnResource(...asked),
      isActive: principal => real.isActive(principal),
      chain: scope => real.chain(scope),
      stateOf: workspace => real.stateOf(workspace),
    }
    const access = new ScopeAccess({ ...w.parts, decisions })
    const path = { scope_type: 'WORKSPACE', scope_id: w.w.id } as const
    const body = { permissions: ['compute.vms.get', 'compute.vms.list', 'compute.vms.create'] }
    const mine = () => valueOf(access.testMyPermissions({ ...path, body }, w.as(w.kim)))
    const theirs = () => valueOf(access.testPrincipalPermissions({ ...path, principal: w.kim, body }, w.as(w.ada)))
    for (const test of [mine, theirs]) expect(await turnsDuring(test)).toBeGreaterThanOrEqual(2)
  })
})
