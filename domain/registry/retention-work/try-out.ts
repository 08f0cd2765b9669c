import { nothing, talliedOf } from '../retention/tally.ts'
import { inSlices } from '../retention/steps.ts'
import { currentRules } from './current-rules.ts'
import { decideRepository } from './decide-repository.ts'
import type { Evaluating, Evaluation, EvaluationContext } from './evaluation.ts'
import { reclaimableBytes } from './reclaimable.ts'
import { mayRun } from './may-run.ts'

/** Counts what the rules of a policy would remove from a repository, and removes nothing. */
export async function tryOut(
  { clock, taxonomy }: Evaluating,
  { input, signal, store }: EvaluationContext,
  repository: string,
): Promise<Evaluation> {
  const current = await currentRules(store, input.policy)
  if (!current || !(await mayRun(taxonomy, store, current.policy, input.trialOf)))
    return { tally: nothing, isOver: true }
  const decided = await decideRepository(store, current, repository, clock.now(), signal)
  if (!decided) return { tally: nothing, isOver: false }
  const { decisions, examined } = decided
  const tally = await inSlices(talliedOf(repository, decisions), signal)
  const doomed = decisions.filter(({ outcome }) => outcome === 'DELETE').map(({ artifact }) => artifact.digest)
  const reclaimable_bytes = await reclaimableBytes(store, repository, doomed, signal)
  return { tally: { ...tally, examined, reclaimable_bytes }, isOver: false }
}
