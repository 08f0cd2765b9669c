import type { AlertRule } from '../../../output/observability/types.ts'
import type { Labels } from '../metrics/samples.ts'
import { fillTemplate, maxAnnotation, maxLabel } from './template.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { TrackedAlert } from './alerts-store.ts'

/** An element of the result of a rule: its labels with the name of the metric, and its value as text. */
export interface Element {
  readonly labels: Labels
  readonly value: string
}

/** The members of an alert that follow from its element. */
export type FoundAlert = Pick<TrackedAlert, 'fingerprint' | 'labels' | 'annotations' | 'value'>

/** The members of a rule that determine the labels and annotations of its alerts. */
export type LabellingRule = Pick<AlertRule, 'id' | 'name' | 'severity' | 'alert_labels' | 'annotations'>

/** The element that stands for absent data. */
export const absentData: Element = { labels: {}, value: '' }

/** Returns the labels that the platform sets in each alert of a rule. */
export const platformLabels = ({ id, name, severity }: Pick<LabellingRule, 'id' | 'name' | 'severity'>): Labels => ({
  alertname: name,
  alert_rule_id: id,
  severity: severity.slice('OBSERVABILITY_ALERT_SEVERITY_'.length).toLowerCase(),
})

/**
 * Returns the alert of an element: the labels of the element without the name of the metric, then the labels of the rule
 * and the labels of the platform, of which a later one wins (observability.md 4.8). A label with an empty value is none.
 */
export function alertOf(rule: LabellingRule, { labels: element, value }: Element): FoundAlert {
  const { __name__: _metric, ...own } = element
  const all = { ...own, ...filled(rule.alert_labels, element, value, maxLabel), ...platformLabels(rule) }
  const labels = sorted(Object.entries(all).filter(([, text]) => text !== ''))
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: filled(rule.annotations, element, value, maxAnnotation),
    value,
  }
}

const filled = (templates: Readonly<Record<string, string>>, element: Labels, value: string, longest: number): Labels =>
  sorted(Object.entries(templates).map(([name, text]) => [name, fillTemplate(text, element, value, longest)]))

/** Returns labels in the order of their names, as Alertmanager writes labels. */
const sorted = (labels: readonly (readonly [string, string])[]): Labels =>
  Object.fromEntries(labels.toSorted(([one], [other]) => (one < other ? -1 : 1)))
