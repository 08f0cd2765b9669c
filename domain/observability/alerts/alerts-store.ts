import type { Collection, Reader, Transaction } from '../../ports/store.ts'
import { dueList } from './due-rows.ts'
import type { Labels } from '../metrics/samples.ts'

/** The states of an alert. The end of an alert that has fired is kept until a notification tells it. */
export type TrackedState = 'PENDING' | 'FIRING' | 'RECOVERING' | 'ENDED'

/** An alert as it is stored after an evaluation; times are in milliseconds since 1970. */
export interface TrackedAlert {
  readonly fingerprint: string
  readonly labels: Labels
  /** The annotations, filled in at the last evaluation that found the element. */
  readonly annotations: Labels
  /** The value of the element as text; empty for the alert that stands for absent data. */
  readonly value: string
  readonly state: TrackedState
  readonly activeMs: number
  /** The evaluation at which the alert fired. */
  readonly firedMs?: number
  /** The evaluation at which the element was gone, for RECOVERING; the end of the alert, for ENDED. */
  readonly goneMs?: number
  /** Whether the last notification tells that the alert fires. */
  readonly isTold: boolean
}

/** The row of an evaluation of a rule; its id is that of the rule. */
export interface Evaluation {
  readonly id: string
  readonly workspace_id: string
  /** The time of the next work on the rule: its next evaluation, or a notification that waits for its interval. */
  readonly next_time: string
  /** The time of the last evaluation in milliseconds since 1970: a multiple of the interval of the rule. */
  readonly tickMs?: number
  /** The time of the last notification in milliseconds since 1970. */
  readonly notifiedMs?: number
  readonly last_error: string
  readonly alert_count: number
  readonly last_evaluation_time?: string
  readonly evaluation_duration?: string
}

/** Some alerts of a rule, in the order of `alerts` of the rule. */
export interface AlertPage {
  /** The id of the rule, a slash, and the number of the page, from 0 on. */
  readonly id: string
  readonly rule_id: string
  readonly workspace_id: string
  readonly alerts: readonly TrackedAlert[]
}

/** The evaluations of the alert rules of all workspaces. */
export const evaluationCollection: Collection<Evaluation> = {
  name: 'observability_alert_evaluations',
  id: 'id',
  list: dueList,
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}

/** The alerts of all rules, in pages. */
export const alertPageCollection: Collection<AlertPage> = {
  name: 'observability_alert_pages',
  id: 'id',
  columns: { workspace_id: 'STRING', rule_id: 'STRING' },
  indexes: [['rule_id'], ['workspace_id']],
}

/** The number of alerts in a page: what `alerts` of a rule shows is on the first page. */
export const alertsPerPage = 100

const pageId = (rule: string, page: number): string => `${rule}/${String(page).padStart(4, '0')}`

/** Returns all alerts of a rule, in their order. */
export async function readAlerts(reader: Reader, rule: string): Promise<readonly TrackedAlert[]> {
  const alerts: TrackedAlert[] = []
  for await (const { value } of reader.each(alertPageCollection, { rule_id: rule })) alerts.push(...value.alerts)
  return alerts
}

/** Returns the first alerts of a rule. */
export const firstAlerts = async (reader: Reader, rule: string): Promise<readonly TrackedAlert[]> =>
  (await reader.get(alertPageCollection, pageId(rule, 0)))?.value.alerts ?? []

/** Replaces the alerts of a rule, which the transaction has locked; pages that stay equal are not written. */
export async function writeAlerts(
  tx: Transaction,
  { id: rule, workspace_id }: Pick<Evaluation, 'id' | 'workspace_id'>,
  alerts: readonly TrackedAlert[],
): Promise<void> {
  const sorted = alerts.toSorted(inOrder)
  const pages = new Map<string, AlertPage>()
  for (let start = 0; start < sorted.length; start += alertsPerPage) {
    const id = pageId(rule, start / alertsPerPage)
    pages.set(id, { id, rule_id: rule, workspace_id, alerts: sorted.slice(start, start + alertsPerPage) })
  }
  for await (const { id, text, version } of tx.each(alertPageCollection, { rule_id: rule })) {
    const page = pages.get(id)
    pages.delete(id)
    if (!page) await tx.delete(alertPageCollection, id, version)
    else if (text.text !== JSON.stringify(page)) await tx.update(alertPageCollection, id, page, version)
  }
  for (const page of pages.values()) await tx.insert(alertPageCollection, page)
}

const rank: Readonly<Record<TrackedState, number>> = { FIRING: 0, RECOVERING: 1, PENDING: 1, ENDED: 2 }

/** Orders alerts: those that fire first, ended ones last, then by fingerprint. */
function inOrder(one: TrackedAlert, other: TrackedAlert): number {
  if (rank[one.state] !== rank[other.state]) return rank[one.state] - rank[other.state]
  return one.fingerprint < other.fingerprint ? -1 : 1
}
