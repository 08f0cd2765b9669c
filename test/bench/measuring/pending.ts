import { done, type Procedure } from '../../../domain/ports/procedures.ts'
import { effect, type WorkBench } from '../../server/operations/work-bench.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

/** A procedure with an empty step: its cost is that of the durable work itself. */
export const instant: Procedure<unknown> = {
  kind: 'sample.instant',
  steps: [{ name: 'only', run: async () => done() }],
}

/** Begins `each` operations in each of `workspaces` workspaces, in one transaction for each workspace. */
export async function beginAll({ operations, store }: WorkBench, workspaces: number, each: number): Promise<void> {
  for (let i = 0; i < workspaces; i += 1) {
    const scope: Scope = { type: 'WORKSPACE', id: `w${i}` }
    await store.tx(async tx => {
      for (let j = 0; j < each; j += 1) await operations.begin(tx, effect(instant.kind, {}, scope))
    })
  }
}
