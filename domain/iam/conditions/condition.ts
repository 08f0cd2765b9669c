import type { PrincipalKind } from '../../../output/iam/types.ts'

/** A checked and compiled condition. */
export interface Condition {
  readonly decide: (attributes: Attributes) => Verdict
  /** Whether the condition uses `resource`, so that the resource may have to be looked up. */
  readonly asksForResource: boolean
}

/**
 * The attributes that conditions use. A comparison with an undefined attribute has an undecided result (iam.md 4.1).
 */
export interface Attributes {
  readonly request: {
    readonly time: string
    readonly hour_of_day: number
    readonly day_of_week: number
    readonly ip: string | undefined
    readonly permission: string | undefined
  }
  readonly principal: { readonly id: string; readonly kind: PrincipalKind; readonly email: string }
  /**
   * The innermost resource of the call that has a name; undefined if no resource has a name, and while the name of an
   * inner resource is unknown.
   */
  readonly resource: AttributesOfResource | undefined
}

/** The result of a condition: true, false, or undefined if the known attributes do not decide the condition. */
export type Verdict = boolean | undefined

export interface AttributesOfResource {
  readonly type: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
}
