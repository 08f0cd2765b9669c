import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { lockShrinking } from '../repositories/lock-repository.ts'
import type { Decision } from '../retention/decide.ts'
import { deletionOrder } from '../retention/holders.ts'
import { retentionCollection, retentionRunCollection, type RetentionRun } from '../retention/retention-store.ts'
import type { ArtifactFacts } from '../retention/match-rule.ts'
import { inSlices, type Steps } from '../retention/steps.ts'
import { nothing, sumOf, talliedOf } from '../retention/tally.ts'
import { currentRules, revisionOf, rulesFor, type CurrentRules } from './current-rules.ts'
import { decideRepository, type RepositoryDecisions } from './decide-repository.ts'
import type { Evaluating, Evaluation, EvaluationContext } from './evaluation.ts'
import { mayRun } from './may-run.ts'
import { removeBatch, type Batch, type Removed } from './remove-batch.ts'
import { noteRun } from './runs.ts'

/** The number of artifacts that one transaction removes: fewer than would hold the event loop on SQLite. */
const batchSize = 4

/** The longest pause between two transactions, in milliseconds. */
const longestPauseMs = 100

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/**
 * The reason for which the removals from a repository end: all are done, the rules have changed, the repository is gone, or
 * the run is over.
 */
type End = 'done' | 'changed' | 'gone' | 'over'

/**
 * Removes from a repository what the rules of a policy match, in small transactions. If a policy changes meanwhile, the
 * repository is decided about again; then what the run has removed from it before counts too.
 */
export async function enforceIn(
  environment: Evaluating,
  context: EvaluationContext,
  repository: string,
): Promise<Evaluation> {
  const { input, signal, store } = context
  for (;;) {
    const removed = (await store.get(retentionRunCollection, input.policy))?.value.removed ?? nothing
    const current = await currentRules(store, input.policy)
    if (!current || !(await mayEnforce(environment, store, current))) return { tally: removed, isOver: true }
    const decided = await decideRepository(store, current, repository, environment.clock.now(), signal)
    if (!decided) return { tally: removed, isOver: false }
    const end = await new Enforcement(environment, context, current, repository).run(decided)
    if (end === 'changed') continue
    const after = (await store.get(retentionRunCollection, input.policy))?.value.removed ?? nothing
    const stays = decided.decisions.filter(({ outcome }) => !removes(outcome))
    const left = await inSlices(talliedOf(repository, stays), signal)
    const examined = decided.examined + removed.examined
    return { tally: { ...sumOf(after, left), examined }, isOver: end === 'over' }
  }
}

const removes = (outcome: Decision['outcome']): boolean => outcome === 'DELETE' || outcome === 'UNTAG'

const mayEnforce = async (
  { taxonomy }: Evaluating,
  reader: Reader,
  { policy }: Pick<CurrentRules, 'policy'>,
): Promise<boolean> =>
  policy.mode === 'REGISTRY_RETENTION_MODE_ENFORCE' && (await mayRun(taxonomy, reader, policy, undefined))

/**
 * Returns the decisions that remove something in an order in which they can be carried out: tags first, and artifacts
 * after those that hold them. Adds the digests of the artifacts that are deleted to `waiting`.
 */
function* ordered(decisions: readonly Decision[], waiting: Set<string>): Steps<readonly Decision[]> {
  const order: Decision[] = []
  const dying = new Map<ArtifactFacts, Decision>()
  for (const decision of decisions) {
    yield
    if (decision.outcome === 'UNTAG') order.push(decision)
    if (decision.outcome !== 'DELETE') continue
    dying.set(decision.artifact, decision)
    waiting.add(decision.artifact.digest)
  }
  for (const artifact of yield* deletionOrder([...dying.keys()])) {
    yield
    const decision = dying.get(artifact)
    if (decision) order.push(decision)
  }
  return order
}

/** The removals from one repository by decisions that were made together. */
class Enforcement {
  readonly #environment: Evaluating
  readonly #context: EvaluationContext
  readonly #current: CurrentRules
  readonly #repository: string
  readonly #waiting = new Set<string>()

  constructor(environment: Evaluating, context: EvaluationContext, current: CurrentRules, repository: string) {
    this.#environment = environment
    this.#context = context
    this.#current = current
    this.#repository = repository
  }

  /** Carries out the decisions that remove something: tags first, and artifacts after those that hold them. */
  async run(decided: RepositoryDecisions): Promise<End> {
    const { signal } = this.#context
    const order = await inSlices(ordered(decided.decisions, this.#waiting), signal)
    let taken: readonly string[] = []
    for (let next = 0; next < order.length;) {
      signal.throwIfAborted()
      const startedMs = performance.now()
      const decisions = order.slice(next, next + batchSize)
      const batch = { ...decided, decisions, taken, waiting: this.#waiting }
      const result = await this.#context.tx(tx => this.#remove(tx, batch))
      if (typeof result === 'string') return result
      ;({ taken } = result)
      this.#environment.retentionCounts.add(result)
      next += result.count
      for (const { artifact } of decisions.slice(0, result.count)) this.#waiting.delete(artifact.digest)
      // Other writers of the store take their turn.
      await sleep(Math.min(longestPauseMs, performance.now() - startedMs))
    }
    return 'done'
  }

  /** Removes a batch in a transaction, and notes it in the row of the run; returns why it does not. */
  async #remove(tx: Transaction, batch: Batch): Promise<Removed | End> {
    const { taxonomy } = this.#environment
    const { policy, revision } = this.#current
    await taxonomy.share(tx, workspaceScope(policy.workspace_id))
    const repository = await lockShrinking(tx, this.#repository)
    const run = await tx.lock(retentionRunCollection, policy.id)
    const present = (await tx.get(retentionCollection, policy.id))?.value
    if (!run || !present || !(await mayEnforce(this.#environment, tx, { policy: present }))) return 'over'
    if ((await revisionOf(tx, present)) !== revision) return 'changed'
    if (!repository || repository.value.state === 'REGISTRY_REPOSITORY_STATE_DELETING') return 'gone'
    // The settings of the repository may have changed, which decide about immutable tags.
    const rules = rulesFor(this.#current, repository.value, batch.rules.nowMs)
    if (!rules) return 'gone'
    const removed = await removeBatch(this.#environment, tx, repository, { ...batch, rules })
    await this.#note(tx, run, removed)
    return removed
  }

  async #note(tx: Transaction, run: Stored<RetentionRun>, { tally }: Removed): Promise<void> {
    await noteRun(tx, run, { removed: sumOf(run.value.removed, tally) })
  }
}
