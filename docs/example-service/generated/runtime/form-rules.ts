// Copied by ninefold. Do not edit: generate writes it again.

import type { FieldViolation } from './errors.ts'
import type { Faults } from './validation.ts'

/** A rule about members of a body that the schema of the body cannot express, without its types. */
export interface FormRule {
  /** The members of the body that the rule reads. */
  readonly reads: readonly string[]
  /**
   * Whether the rule depends on the time of the call. Such a rule is judged only beside other faults, because a repeated
   * Idempotency-Key returns the recorded operation at any time; the handler itself refuses a body with this fault alone.
   */
  readonly isOfTime: boolean
  /** Returns the faults of a body in which the schema has accepted the members `reads`; `now` is in ms since 1970. */
  faults(body: object, now: number): Iterable<FieldViolation>
}

/** The rules for the bodies of operations, keyed by operationId. */
export type FormRules = Readonly<Record<string, readonly FormRule[]>>

/**
 * Returns a function that makes rules for bodies of the type `Body`, such as `rulesOf<Crate>()(['depth', 'width'], ({
 * depth, width }) => ...)`. A rule gets the members that it names. The schema has accepted these members, and defaults
 * are not filled.
 */
export function rulesOf<Body extends object>() {
  return <const Name extends keyof Body & string>(
    reads: readonly Name[],
    faults: (body: Pick<Body, Name>, now: number) => Iterable<FieldViolation>,
    { isOfTime = false }: { readonly isOfTime?: boolean } = {},
  ): FormRule => ({
    reads,
    isOfTime,
    // `addFormFaults` has seen that the schema accepts the members.
    faults: (body, now) => faults(body as Pick<Body, Name>, now),
  })
}

/**
 * Adds the faults of a body by its rules, after the faults of its schema: all faults of a request are reported together
 * (conventions §4). A rule that reads a faulty member is skipped, because its result would follow from that fault.
 */
export function addFormFaults(rules: readonly FormRule[], body: object, now: number, faults: Faults): void {
  // A longer list is cut, so that further faults would be lost.
  if (faults.count > faults.list.length) return
  const faulty = new Set(faults.list.map(({ field }) => memberOf(field)))
  if (faulty.has('') || faulty.has('body')) return
  // The rules about the time come last, because they are judged only beside other faults.
  for (const rule of [...rules.filter(each => !each.isOfTime), ...rules.filter(each => each.isOfTime)]) {
    if ((rule.isOfTime && faults.count === 0) || rule.reads.some(name => faulty.has(name))) continue
    for (const { field, description } of rule.faults(body, now)) faults.add(field, description)
  }
}

/** Returns the member of the body that a field names or lies in. */
const memberOf = (field: string): string => /^[^.[]*/.exec(field)?.[0] ?? ''
