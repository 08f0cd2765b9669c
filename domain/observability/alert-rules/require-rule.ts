import { alertQueryNotVector, receiverUrlForbidden, templateInvalid } from '../../../output/observability/errors.ts'
import type { AlertReceiverInput, AlertRuleUpdate } from '../../../output/observability/types.ts'
import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { templateFault } from '../alerts/template.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { parseQuery } from '../promql/language/parse.ts'

/**
 * Throws IAM_PERMISSION_DENIED unless the caller may run the query of a rule: the rule shows its result to the caller
 * (observability.md 3).
 */
export const requireQueryRight = (
  { access }: Pick<ObservabilityEnvironment, 'access'>,
  context: CallContext,
  workspace: string,
  { language }: Pick<AlertRuleUpdate, 'language'>,
): Promise<void> => {
  const isLogs = language === 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL'
  return access.require(context, `observability.${isLogs ? 'logs' : 'metrics'}.query`, workspaceScope(workspace))
}

/**
 * Checks what the schema of a rule cannot say about its query and templates, without the store. Throws
 * ENGINE_CAPABILITY_UNSUPPORTED for LogQL, which the native engine does not evaluate, TEMPLATE_INVALID, QUERY_… for the
 * faults of the query, and ALERT_QUERY_NOT_VECTOR.
 */
export function requireRule({ alert_labels, annotations, language, query }: AlertRuleUpdate): void {
  if (language === 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL') {
    const message = 'the engine does not evaluate rules in LogQL; use OBSERVABILITY_QUERY_LANGUAGE_PROMQL'
    throw engineCapabilityUnsupported(message, { capability: 'LOGQL' })
  }
  for (const [member, templates] of Object.entries({ alert_labels, annotations })) {
    for (const [name, template] of Object.entries(templates ?? {})) {
      const fault = templateFault(template)
      if (fault !== undefined) throw faultAt(templateInvalid, `${member}.${name}`, fault)
    }
  }
  if (query === undefined) return
  const { type } = parseQuery(query)
  if (type !== 'vector') throw faultAt(alertQueryNotVector, 'query', `must be an instant vector, not a ${type}`)
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
