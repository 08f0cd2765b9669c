import type { StepName } from './step.ts'

/** A rule that finds the step of a reason by its rpc and name; the first rule that matches decides. */
interface Rule {
  readonly rpc?: string
  readonly name?: RegExp
  /** The step; undefined if the reason belongs to no step of the order. */
  readonly step: StepName | undefined
}

/** The rules for all reasons except those of absent resources, whose step `steps.ts` finds from the path. */
const rules: readonly Rule[] = [
  { name: /^VAULT_SEALED$/, step: 'seal' },
  { name: /^(?:WORKSPACE|PARENT|SCOPE)_NOT_ACTIVE$/, step: 'workspace' },
  { name: /THROTTLED$|^RATE_/, step: undefined },
  { rpc: 'ALREADY_EXISTS', step: 'uniqueness' },
  { name: /_(?:OVERLAP|TAKEN)$/, step: 'uniqueness' },
  { rpc: 'RESOURCE_EXHAUSTED', name: /QUOTA/, step: 'quota' },
  { rpc: 'RESOURCE_EXHAUSTED', step: 'capacity' },
  { rpc: 'INVALID_ARGUMENT', name: /_NOT_FOUND$/, step: 'reference' },
  { rpc: 'INVALID_ARGUMENT', step: 'rule' },
  { rpc: 'FAILED_PRECONDITION', step: 'state' },
  { rpc: 'ABORTED', step: 'state' },
  { rpc: 'PERMISSION_DENIED', step: 'reference' },
]

/**
 * Returns the step at which a reason is raised, according to its name and its rpc; undefined if no rule gives a step.
 */
export function stepOfReason(reason: string, rpc: string | undefined): StepName | undefined {
  const fits = (rule: Rule): boolean =>
    (rule.rpc === undefined || rule.rpc === rpc) && (rule.name === undefined || rule.name.test(reason))
  return rpc === undefined ? undefined : rules.find(fits)?.step
}
