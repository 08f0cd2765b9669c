/** The outcomes of evaluations of alert rules. */
export const evaluationOutcomes = ['ok', 'no_data', 'error'] as const

/** The outcomes of attempts to send a notification; a notification that is given up counts beside its last failure. */
export const notificationOutcomes = ['taken', 'failed', 'given_up'] as const

/** The outcome of an evaluation. */
export type EvaluationOutcome = (typeof evaluationOutcomes)[number]

/** The outcome of an attempt to send a notification. */
export type NotificationOutcome = (typeof notificationOutcomes)[number]

/** Counts the evaluations and notifications of alert rules on this server, for its metrics. */
export class AlertCounts {
  readonly #evaluations = new Map<EvaluationOutcome, number>()
  #evaluationSeconds = 0
  readonly #notifications = new Map<NotificationOutcome, number>()

  /** Counts an evaluation with its duration in milliseconds. */
  evaluated(outcome: EvaluationOutcome, durationMs: number): void {
    this.#evaluations.set(outcome, this.evaluations(outcome) + 1)
    this.#evaluationSeconds += durationMs / 1000
  }

  /** The seconds that all evaluations have taken together. */
  get evaluationSeconds(): number {
    return this.#evaluationSeconds
  }

  notified(outcome: NotificationOutcome): void {
    this.#notifications.set(outcome, this.notifications(outcome) + 1)
  }

  evaluations(outcome: EvaluationOutcome): number {
    return this.#evaluations.get(outcome) ?? 0
  }

  notifications(outcome: NotificationOutcome): number {
    return this.#notifications.get(outcome) ?? 0
  }
}
