import {
  evaluationOutcomes,
  notificationOutcomes,
  type AlertCounts,
} from '../../domain/observability/alert-work/alert-counts.ts'
import type { Metric } from '../health/metrics.ts'

/** Returns the metrics of alert rules. */
export const alertMetrics = (
  counts: Pick<AlertCounts, 'evaluations' | 'evaluationSeconds' | 'notifications'>,
): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_observability_alert_evaluations_total',
    help: 'Evaluations of alert rules on this server, by outcome.',
    labels: ['outcome'],
    read: () => evaluationOutcomes.map(outcome => ({ labels: { outcome }, value: counts.evaluations(outcome) })),
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_alert_evaluation_seconds_total',
    help: 'The time that evaluations of alert rules have taken on this server, in seconds.',
    read: () => [{ labels: {}, value: counts.evaluationSeconds }],
  },
  {
    kind: 'counter',
    name: 'ninefold_observability_alert_notifications_total',
    help: 'Attempts to send notifications of alerts on this server, by outcome.',
    labels: ['outcome'],
    read: () => notificationOutcomes.map(outcome => ({ labels: { outcome }, value: counts.notifications(outcome) })),
  },
]
