import { alertRuleNotFound } from '../../../output/observability/errors.ts'
import { alertRuleFields } from '../../../output/observability/validators.ts'
import { defineKind } from '../../resources/kind.ts'
import { alertRuleCollection } from '../alerts/alert-rules-store.ts'

/** The kind of alert rules. */
export const alertRuleKind = defineKind({
  type: 'observability.alertRules',
  noun: 'alert rule',
  collection: alertRuleCollection,
  fields: alertRuleFields,
  notFound: alertRuleNotFound,
})
