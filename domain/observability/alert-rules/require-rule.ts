import { alertQueryNotVector, receiverUrlForbidden, templateInvalid } from '../../../output/observability/errors.ts'
import type { AlertReceiverInput, AlertRuleUpdate, QueryLanguage } from '../../../output/observability/types.ts'
import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { templateFault } from '../alerts/template.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import type { LogReader } from '../logs/log-reader.ts'
import { parseQuery as parseLogQl } from '../logql/language/parse.ts'
import type { MetricReader } from '../metrics/metric-engine.ts'
import { parseQuery } from '../promql/language/parse.ts'
import { logsOf, metricsOf } from '../stacks/stack.ts'

type Readers = Pick<ObservabilityEnvironment, 'logs' | 'metrics' | 'stacks'>

/** The members of a rule that choose the store of its query. */
type QueryMember = 'engine' | 'language'

const isLogQl = (language: QueryLanguage): boolean => language === 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL'

/** The permissions to run queries of logs and of metrics. */
const [logsQuery, metricsQuery] = ['observability.logs.query', 'observability.metrics.query'] as const

/**
 * Returns a function that throws IAM_PERMISSION_DENIED unless the caller may run queries in a language: a rule shows the
 * result of its query to the caller (observability.md 3).
 */
export async function queryRights(
  { access }: Pick<ObservabilityEnvironment, 'access'>,
  context: CallContext,
  workspace: string,
): Promise<(language: QueryLanguage) => void> {
  const scope = workspaceScope(workspace)
  const held = new Set<string>()
  for (const permission of [logsQuery, metricsQuery])
    if (await access.holds(context, permission, scope)) held.add(permission)
  return language => {
    const permission = isLogQl(language) ? logsQuery : metricsQuery
    if (!held.has(permission)) throw permissionDenied(permission, scope)
  }
}

/** Throws TEMPLATE_INVALID for the first template of a body that has more than the forms of templates. */
export function requireTemplates({ alert_labels, annotations }: AlertRuleUpdate): void {
  for (const [member, templates] of Object.entries({ alert_labels, annotations })) {
    for (const [name, template] of Object.entries(templates ?? {})) {
      const fault = templateFault(template)
      if (fault !== undefined) throw faultAt(templateInvalid, `${member}.${name}`, fault)
    }
  }
}

/**
 * Throws QUERY_… errors and SELECTOR_EMPTY for the faults of the query of a rule and for what its engine refuses, and
 * ALERT_QUERY_NOT_VECTOR.
 */
export function requireVector(
  readers: Readers,
  { engine, language, query, workspace_id: workspace }: Pick<StoredAlertRule, QueryMember | 'query' | 'workspace_id'>,
): void {
  const type = isLogQl(language) ? logQueryType(query) : parseQuery(query).type
  if (type !== 'vector') throw faultAt(alertQueryNotVector, 'query', `must be an instant vector, not a ${type}`)
  readerOf(readers, { engine, language }).admit?.(workspace, query)
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for a rule whose engine has no store for queries in its language. */
export function requireEvaluating(readers: Readers, rule: Pick<StoredAlertRule, QueryMember>): void {
  readerOf(readers, rule)
}

const readerOf = (
  readers: Readers,
  { engine, language }: Pick<StoredAlertRule, QueryMember>,
): LogReader | MetricReader => (isLogQl(language) ? logsOf(readers, engine) : metricsOf(readers, engine))

function logQueryType(query: string): 'log query' | 'scalar' | 'vector' {
  const { kind } = parseLogQl(query)
  return kind === 'log' ? 'log query' : kind === 'number' ? 'scalar' : 'vector'
}

/**
 * Throws for receivers that get no notifications: ENGINE_CAPABILITY_UNSUPPORTED for e-mail without a mail server, and
 * RECEIVER_URL_FORBIDDEN for a URL to which the platform sends nothing (observability.md 4.7).
 */
export async function requireReceivers(
  { mailer, outbound }: Pick<ObservabilityEnvironment, 'mailer' | 'outbound'>,
  receivers: readonly AlertReceiverInput[],
): Promise<void> {
  if (!mailer.isConfigured && receivers.some(({ email }) => email !== undefined))
    throw engineCapabilityUnsupported('e-mail needs the setting mail.smtp_url', { capability: 'EMAIL' })
  for (const [index, { webhook }] of receivers.entries()) {
    const fault = webhook && (await outbound.refusal(webhook.url, 'to-private-targets'))
    if (fault !== undefined) throw faultAt(receiverUrlForbidden, `receivers[${index}].webhook.url`, fault)
  }
}
