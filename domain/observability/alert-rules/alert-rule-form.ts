import type { AlertRuleUpdate } from '../../../output/observability/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'

const rules = rulesOf<AlertRuleUpdate>()

/** The bounds of the durations of a rule in seconds. */
const bounds = {
  evaluation_interval: [10, 3600],
  for: [0, 86_400],
  keep_firing_for: [0, 86_400],
  group_interval: [30, 86_400],
  repeat_interval: [60, 604_800],
} as const

const durations = (['evaluation_interval', 'for', 'keep_firing_for', 'group_interval', 'repeat_interval'] as const).map(
  name =>
    rules([name], function* (body) {
      const text = body[name]
      const [min, max] = bounds[name]
      if (text === undefined) return
      const ms = durationMs(text)
      if (!(ms >= min * 1000 && ms <= max * 1000))
        yield { field: name, description: `must be between ${min}s and ${max}s` }
    }),
)

/** The labels that the platform sets. */
const reserved: ReadonlySet<string> = new Set(['alertname', 'alert_rule_id', 'severity'])

const labelNames = rules(['alert_labels'], function* ({ alert_labels = {} }) {
  for (const name of Object.keys(alert_labels)) {
    const field = `alert_labels.${name}`
    if (reserved.has(name)) yield { field, description: 'is set by the platform' }
    else if (name.startsWith('__')) yield { field, description: 'must not begin with two underscores' }
  }
})

const maxQueryBytes = 8192

const query = rules(['query'], function* ({ query: text = '' }) {
  if (Buffer.byteLength(text, 'utf8') > maxQueryBytes)
    yield { field: 'query', description: `must have at most ${maxQueryBytes} bytes in UTF-8` }
})

const receivers = rules(['receivers'], function* ({ receivers: all = [] }): Generator<FieldViolation> {
  const seen = new Set<string>()
  for (const [index, { email, name, webhook }] of all.entries()) {
    const field = `receivers[${index}]`
    if (seen.has(name)) yield { field: `${field}.name`, description: 'is the name of another receiver too' }
    seen.add(name)
    if ((email === undefined) === (webhook === undefined))
      yield { field, description: 'must have exactly one of webhook and email' }
  }
})

/** The rules for the bodies of alert rules beyond their schema (step 5). */
export const alertRuleForm: readonly FormRule[] = [...durations, labelNames, query, receivers]
