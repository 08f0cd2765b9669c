import type { RetentionPolicy } from '../../../output/registry/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { done, type Procedure } from '../../ports/procedures.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { retentionCollection, retentionRunCollection, type RetentionRun } from '../retention/retention-store.ts'
import { nothing, sumOf, type Tally } from '../retention/tally.ts'
import { enforceIn } from './enforce.ts'
import type { Evaluating, Evaluation, EvaluationContext } from './evaluation.ts'
import { retentionEvaluation, type EvaluationOrder } from './orders.ts'
import { dropRun, noteRun } from './runs.ts'
import { tryOut } from './try-out.ts'

/** The time after which the progress of a run is stored, in milliseconds. */
const noteMs = 1000

/**
 * Returns the work that evaluates a retention policy, without a time limit. A trial, and a run in the mode DRY_RUN, count
 * what would go; a run in the mode ENFORCE removes it in batches. A run that a crash has cut off goes on after the
 * repositories that it has done.
 */
export const evaluateRetention = (environment: Evaluating): Procedure<EvaluationOrder> => ({
  kind: retentionEvaluation,
  deadlineMs: 'none',
  steps: [
    {
      name: 'evaluate',
      async run(context) {
        const { input, store } = context
        const run =
          input.trialOf === undefined ? (await store.get(retentionRunCollection, input.policy))?.value : undefined
        const policy = (await store.get(retentionCollection, input.policy))?.value
        // The policy was deleted, or the rules of the trial have changed, which has begun another one.
        if (!policy || (input.trialOf === undefined ? !run : policy.etag !== input.trialOf)) return done()
        await environment.pulls.store()
        const evaluation = await evaluate(environment, context, policy, run)
        return done(tx => finish(environment, tx, input, evaluation))
      },
    },
  ],
  async failed(tx, { input }) {
    if (input.trialOf === undefined) await dropRun(tx, input.policy)
  },
})

/** Evaluates the repositories of a policy one after the other, and returns the sums. */
async function evaluate(
  environment: Evaluating,
  context: EvaluationContext,
  policy: RetentionPolicy,
  run: RetentionRun | undefined,
): Promise<Evaluation> {
  const ids = await repositoriesOf(context.store, policy)
  const enforces = run?.mode === 'REGISTRY_RETENTION_MODE_ENFORCE'
  let tally = run?.done ?? nothing
  let notedMs = performance.now()
  for (const [i, id] of ids.entries()) {
    if (id <= (run?.after ?? '')) continue
    const part = enforces ? await enforceIn(environment, context, id) : await tryOut(environment, context, id)
    tally = sumOf(tally, part.tally)
    if (part.isOver) return { tally, isOver: true }
    context.progress(Math.floor((100 * (i + 1)) / (ids.length + 1)))
    // Removals from a repository are noted with this repository or with an earlier repository.
    const isNoted = (enforces && part.tally.matched > 0) || performance.now() - notedMs >= noteMs
    if (!run || !isNoted) continue
    notedMs = performance.now()
    await context.tx(tx => noteDone(tx, policy.id, id, tally))
  }
  return { tally, isOver: false }
}

async function repositoriesOf(reader: Reader, { engine, workspace_id }: RetentionPolicy): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of reader.each(repositoryCollection, { workspace_id, engine })) ids.push(id)
  return ids
}

/** Notes in the row of a run that a repository is done, so that a resumed run begins after it. */
async function noteDone(tx: Transaction, policy: string, after: string, tally: Tally): Promise<void> {
  const stored = await tx.lock(retentionRunCollection, policy)
  if (stored) await noteRun(tx, stored, { after, done: tally, removed: nothing })
}

/**
 * Writes the result into the row of the policy, unless the policy was deleted or a trial is out of date. A dry run that
 * ended early has no result; of a run that deletes, the part that was done is the result, if there is one.
 */
async function finish(
  { clock }: Evaluating,
  tx: Transaction,
  { policy, trialOf }: EvaluationOrder,
  { isOver, tally }: Evaluation,
): Promise<void> {
  const stored = await tx.lock(retentionCollection, policy)
  const run = trialOf === undefined ? await dropRun(tx, policy) : undefined
  if (!stored || (trialOf === undefined ? !run : stored.value.etag !== trialOf)) return
  const mode = run?.mode ?? 'REGISTRY_RETENTION_MODE_DRY_RUN'
  const isDry = mode === 'REGISTRY_RETENTION_MODE_DRY_RUN'
  if (isOver && (isDry || tally.matched === 0)) return
  const last_evaluation = { time: formatMillis(clock.now()), mode, ...tally }
  await tx.update(retentionCollection, policy, { ...stored.value, last_evaluation }, stored.version)
  if (!isDry) return
  const about = { workspace: stored.value.workspace_id, bytes: tally.reclaimable_bytes }
  await recordAuditEvent(tx, clock, undefined, { action: 'RETENTION_DRY_RUN', ...about })
}
