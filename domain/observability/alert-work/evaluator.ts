import type { Worker } from '../../ports/workers.ts'
import { alertRuleKind } from '../alert-rules/alert-rule-kind.ts'
import { evaluationCollection } from '../alerts/alerts-store.ts'
import { dueRows } from '../alerts/due-rows.ts'
import type { AlertParts } from './alert-parts.ts'
import { BoundedWork } from './bounded-work.ts'
import { workOnRule } from './work-on-rule.ts'

/** The time between two looks for due rules, in milliseconds. */
const everyMs = 500

/** The rules that are evaluated at one time, in all and in one workspace. */
const limits = { total: 32, perWorkspace: 2 }

/**
 * Returns the worker that evaluates alert rules. Its lease makes one server the evaluator of all workspaces: the server
 * that serves the time series of the native engine, as another server gives the lease up. A slow query delays other
 * rules of its workspace only.
 */
export function evaluator(parts: AlertParts): Worker {
  const { clock, failed, lease, store } = parts
  const work = new BoundedWork(limits.total)
  return {
    name: 'observability.alerts',
    everyMs,
    keepsLease: () => lease.isHeld,
    async run(turn) {
      if (!(await lease.isServing())) return
      for await (const { id, value } of dueRows(store, evaluationCollection, clock.now())) {
        if (turn.signal.aborted || work.isFull) return
        work.start(id, [{ name: value.workspace_id, limit: limits.perWorkspace }], () =>
          workOnRule(parts, turn, id).catch((error: unknown) => {
            if (!turn.signal.aborted) failed(error, `${alertRuleKind.type} ${id}`)
          }),
        )
      }
    },
  }
}
