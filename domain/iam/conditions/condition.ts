import type { PrincipalKind } from '../../../output/iam/types.ts'

/** A condition that was checked. */
export interface Condition {
  readonly decide: (attributes: Attributes) => Verdict
  /** Whether it looks at `resource`, which has to be looked up. */
  readonly asksForResource: boolean
}

/** What conditions look at. What is undefined cannot be decided (iam.md 4.1). */
export interface Attributes {
  readonly request: {
    readonly time: string
    readonly hour_of_day: number
    readonly day_of_week: number
    readonly ip: string | undefined
    readonly permission: string | undefined
  }
  readonly principal: { readonly id: string; readonly kind: PrincipalKind; readonly email: string }
  /** The innermost thing of the call that has a name; undefined before it was looked up, and where there is none. */
  readonly resource: AttributesOfResource | undefined
}

/** True, false, or undefined: it cannot be decided. */
export type Verdict = boolean | undefined

export interface AttributesOfResource {
  readonly type: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
}
