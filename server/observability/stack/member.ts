/** The members of a stack, by the keys of their settings. */
export const memberSettings = ['metrics_url', 'logs_url', 'traces_url', 'otlp_url', 'alertmanager_url'] as const

export type MemberSetting = (typeof memberSettings)[number]

/** A member of a stack. */
export interface Member {
  readonly engine: string
  readonly setting: MemberSetting
  /** The address before the paths of the API. */
  readonly url: string
  /** Whether the member keeps the telemetry of each tenant apart, by the header `X-Scope-OrgID`. */
  readonly hasTenants: boolean
}
