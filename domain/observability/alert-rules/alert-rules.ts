import type { ObservabilityArea } from '../../../output/observability/area.ts'
import type { AlertRuleHandlers } from '../../../output/observability/handlers.ts'
import type {
  AlertRule,
  GetAlertRuleRequest,
  ListAlertRulesRequest,
  ParsedCreateAlertRuleRequest,
} from '../../../output/observability/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { requireFound, requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import { alertRuleCollection, type StoredAlertRule } from '../alerts/alert-rules-store.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { consumeLimit } from '../quotas/limits.ts'
import { activeSilences } from '../silences/active-silences.ts'
import { alertRuleKind } from './alert-rule-kind.ts'
import { storeSecrets, withoutSecrets, wrapSecrets } from './receiver-secrets.ts'
import { queryRights, requireEvaluating, requireReceivers, requireTemplates, requireVector } from './require-rule.ts'
import { readRule, ruleAnswers, type RuleRows } from './rule-answer.ts'
import { beginEvaluation, changeEvaluation, dropEvaluation, firstState, isReset } from './rule-evaluation.ts'

type AlertRules = Resources<StoredAlertRule, ObservabilityArea>

/** Returns the handlers of alert rules. */
export function alertRules(environment: ObservabilityEnvironment): AlertRuleHandlers {
  const { clock, functions } = environment
  const resources: AlertRules = new Resources(alertRuleKind, environment)
  return {
    listAlertRules: (request, context) => listAlertRules(environment, request, context),
    getAlertRule: request => getAlertRule(environment, request),
    async createAlertRule(request, context) {
      const { body, engine, workspace } = request
      const requireRight = await queryRights(environment, context, workspace)
      requireRight(body.language)
      requireEvaluating(environment, { engine, language: body.language })
      requireTemplates(body)
      requireVector(environment, { ...body, engine, workspace_id: workspace })
      await requireReceivers(environment, body.receivers)
      const secrets = wrapSecrets(functions.vault, body.receivers)
      const row = newAlertRule(resources, request, context)
      return resources.create(request, context, row, {
        async refer() {
          if (secrets instanceof ApiError) throw secrets
        },
        async count(tx) {
          if (!(secrets instanceof ApiError)) await storeSecrets(tx, row, secrets)
          await beginEvaluation(tx, row, clock.now())
          await consumeLimit(tx, environment.limits, 'alertRules', { workspace, now: clock.now() })
        },
      })
    },
    async updateAlertRule(request, context) {
      const { body, workspace } = request
      const requireRight = await queryRights(environment, context, workspace)
      if (body.language) requireRight(body.language)
      requireTemplates(body)
      await requireReceivers(environment, body.receivers ?? [])
      const secrets = wrapSecrets(functions.vault, body.receivers ?? [])
      return resources.update(request, context, {
        found: ({ language }) => requireRight(language),
        async refer(_tx, { changed, value }) {
          requireRight(value.language)
          if (changed.includes('language')) requireEvaluating(environment, value)
          if (changed.includes('language') || changed.includes('query')) requireVector(environment, value)
          const state = isReset(changed) ? firstState(value) : {}
          // A body may have receivers that the mask leaves out.
          if (!changed.includes('receivers')) return { members: state }
          if (secrets instanceof ApiError) throw secrets
          return { members: { ...state, receivers: withoutSecrets(value.receivers) } }
        },
        async count(tx, { changed, value }, before) {
          const isSecret = changed.includes('receivers') && !(secrets instanceof ApiError)
          if (isSecret) await storeSecrets(tx, value, secrets)
          await changeEvaluation(tx, value, { isReset: isReset(changed), wasNamed: before.receivers, now: clock.now() })
        },
      })
    },
    deleteAlertRule: (request, context) =>
      resources.delete(request, context, { release: (tx, { id }) => dropEvaluation(tx, id) }),
  }
}

async function getAlertRule(
  { clock, store, taxonomy }: ObservabilityEnvironment,
  request: GetAlertRuleRequest,
): Promise<AlertRule> {
  // An evaluation changes the rule and the rows beside it at once.
  const { active, rows } = await store.snapshot(async reader => {
    const stored = await reader.get(alertRuleCollection, request.id)
    const { value } = await requireFound(reader, taxonomy, alertRuleKind, request, stored)
    return {
      rows: await readRule(reader, value),
      active: await activeSilences(reader, request.workspace, clock.now()),
    }
  })
  const [answer] = await ruleAnswers([rows], active)
  if (!answer) throw new Error(`rule ${request.id} has no answer`)
  return answer
}

async function listAlertRules(
  { clock, store, taxonomy }: ObservabilityEnvironment,
  { engine, workspace }: ListAlertRulesRequest,
  { query }: ListContext,
): Promise<Page<AlertRule>> {
  const { active, page, rows } = await store.snapshot(async reader => {
    const page = await reader.page(alertRuleCollection, query, { workspace_id: workspace, engine })
    if (page.items.length === 0) await requirePlace(reader, taxonomy, alertRuleKind, { workspace, engine })
    const rows: RuleRows[] = []
    for (const { value } of page.items) rows.push(await readRule(reader, value))
    return { page, rows, active: await activeSilences(reader, workspace, clock.now()) }
  })
  return { ...page, items: await ruleAnswers(rows, active) }
}

function newAlertRule(
  resources: AlertRules,
  request: ParsedCreateAlertRuleRequest,
  context: CallContext,
): StoredAlertRule {
  const { etag: _precondition, receivers, ...settable } = request.body
  const row = { ...resources.standard(request, context), ...settable, receivers: withoutSecrets(receivers) }
  return { ...row, ...firstState(row) }
}
