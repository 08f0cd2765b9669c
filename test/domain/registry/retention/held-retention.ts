import { beforeAll } from 'vitest'
import type { RetentionPolicyInput, RetentionRuleInput } from '../../../../output/registry/types.ts'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import type { Store, Transaction } from '../../../../domain/ports/store.ts'
import { PullCounts } from '../../../../domain/registry/artifacts/pull-counts.ts'
import { retentionCollection } from '../../../../domain/registry/retention/retention-store.ts'
import { evaluateRetention } from '../../../../domain/registry/retention-work/evaluate.ts'
import type { EvaluationContext } from '../../../../domain/registry/retention-work/evaluation.ts'
import { RetentionCounts } from '../../../../domain/registry/retention/retention-counts.ts'
import { insertRun } from '../../../../domain/registry/retention-work/runs.ts'
import type { AreaModule } from '../../../../server/area.ts'
import type { PlatformServices } from '../../../../server/area-parts.ts'
import { areas } from '../../../../server/areas.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'

const untouched = <R>(run: () => Promise<R>): Promise<R> => run()

/** Runs transactions of a test instead of those of a run; by default they are the same. */
export type Around = <R>(run: () => Promise<R>, count: number) => Promise<R>

/** A served registry whose scheduled runs a test makes itself, with access to its store. */
export interface HeldRetention extends ServedRegistry {
  readonly store: Store
  /** Creates a policy that nothing schedules soon, waits for its trial, and returns its id. */
  policy(rules: readonly RetentionRuleInput[], more?: Partial<RetentionPolicyInput>): Promise<string>
  /** Begins a run of a policy as its schedule does, without the work. */
  begin(policy: string): Promise<void>
  /**
   * Works on a run that has begun; `around` is called for each of its transactions with their number, from 1. Rejects if
   * `around` does.
   */
  work(policy: string, around?: Around): Promise<void>
}

/** Serves one registry for the tests of a file. Returns a function that returns it within a test. */
export function heldRetention(): () => HeldRetention {
  let held: HeldRetention | undefined
  beforeAll(async () => {
    const undone: (() => void | Promise<void>)[] = []
    let mounted: PlatformServices | undefined
    const given = areas.map((area): AreaModule => {
      if (area.domain.name !== 'registry') return area
      return { ...area, mount: parts => area.mount((mounted = parts)) }
    })
    const served = await servedRegistry(undo => void undone.push(undo), 0, { mounted: given })
    if (!mounted) throw new Error('the registry is not mounted')
    held = { ...served, store: mounted.store, ...runsOf(served, mounted) }
    return async () => {
      for (const undo of undone.toReversed()) await undo()
    }
  })
  return () => {
    if (held === undefined) throw new Error('the registry is served within tests only')
    return held
  }
}

let policies = 0

/** Returns the functions of `HeldRetention` on the runs of a mounted registry. */
export function runsOf(
  { api, workspace }: ServedRegistry,
  { audit, clock, store, taxonomy }: PlatformServices,
): Pick<HeldRetention, 'policy' | 'begin' | 'work'> {
  const pulls = new PullCounts({ store, failed: () => {} })
  const counts = { retentionCounts: new RetentionCounts(), collectionGraceMs: 0, pulls }
  const [step] = evaluateRetention({ audit, clock, taxonomy, ...counts }).steps
  return {
    async policy(rules, more = {}) {
      policies += 1
      const body = { name: `policy-${policies}`, schedule: '0 0 1 1 *', rules: [...rules], ...more }
      const made = await api.registry.createRetentionPolicy({ workspace, engine: 'native', body })
      return (await api.registry.waitOperation(made)).resource_id
    },
    begin: id =>
      store.tx(async tx => {
        const policy = (await tx.get(retentionCollection, id))?.value
        if (!policy) throw new Error(`there is no policy ${id}`)
        const { mode, workspace_id } = policy
        await insertRun(tx, { id, workspace_id, mode, operation_id: clock.newId() })
      }),
    async work(id, around = untouched) {
      let count = 0
      const tx = <R>(fn: (each: Transaction) => Promise<R>): Promise<R> => around(() => store.tx(fn), (count += 1))
      const context: EvaluationContext = {
        operationId: undefined,
        input: { policy: id },
        checkpoint: undefined,
        scope: { type: 'WORKSPACE', id: workspace },
        principalId: systemPrincipalId,
        traceId: '',
        attempt: 1,
        signal: new AbortController().signal,
        store,
        clock,
        tx,
        save: async () => {},
        progress: () => {},
        warn: () => {},
      }
      const outcome = await step?.run(context)
      if (outcome?.kind === 'done' && outcome.finish) await tx(outcome.finish)
    },
  }
}
