import { formatMillis } from '../../../runtime/timestamps.ts'
import { innermostNamed, type CalledResources } from '../conditions/called-resources.ts'
import type { CataloguePermission } from '../interfaces/catalogue.ts'
import type { Circumstances, Decision } from '../interfaces/decisions.ts'
import type { HeldBinding } from './held-bindings.ts'
import type { RightsAt } from './rights-at.ts'
import { asksForResource, both, matchOf, type Concerning } from './policy-statements.ts'
import type { PolicyIndex } from './workspace-policies.ts'
import type { Attributes } from '../conditions/condition.ts'

/** The input of a decision. */
export interface Case {
  readonly permission: CataloguePermission
  /** The rights of an ACTIVE principal from its bindings at the scopes of the chain. */
  readonly rights: RightsAt
  /** The policies of the workspace; undefined at other scopes. */
  readonly policies: PolicyIndex | undefined
  readonly called: CalledResources
  /** Whether the resources have been looked up. If so, conditions that are still undecided stay undecided. */
  readonly areLookedUp: boolean
  readonly circumstances: Circumstances
}

const refusal = (reason: Decision['reason']): Decision => ({ reason, bindingIds: [], policyId: '' })

export const notGranted = refusal('NOT_GRANTED')
export const inactive = refusal('PRINCIPAL_INACTIVE')

/** Decides a case (iam.md 4.1, from step 3); returns undefined if the resources must be looked up first. */
export function decide(of: Case): Decision | undefined {
  const { permission, policies, rights } = of
  const denying = policies && permission.deniable ? policies.concerning('DENY', permission.bit, rights) : []
  const [known, hanging] = denying.length > 0 ? denial(of, denying) : unhindered
  if (known) return known
  if (hanging) return undefined
  if (rights.unconditional.has(permission.bit)) return new Unconditional(rights, permission.bit)
  const conditional = rights.conditional(permission.bit)
  const allowing = policies && permission.policy_allowable ? policies.concerning('ALLOW', permission.bit, rights) : []
  if (conditional.length === 0 && allowing.length === 0) return notGranted
  return conditionally(of, conditional, allowing)
}

/** A decision, if there is one, and whether the resources must be looked up first. */
type Found = readonly [decision: Decision | undefined, isHanging: boolean]

const unhindered: Found = [undefined, false]

/**
 * Returns DENIED_BY_POLICY if a DENY statement applies, no decision if none applies, or that a look-up is needed. A
 * statement that stays undecided after the look-up denies.
 */
function denial(of: Case, concerning: readonly Concerning[]): Found {
  const { rights, called } = of
  const attributes = attributesOf(of)
  let isHanging = false
  for (const each of concerning) {
    const { statement } = each
    const { isConditionMet, isMeant } = matchOf(each, rights, called, attributes)
    const verdict = both(isMeant, isConditionMet)
    if (verdict === false) continue
    if (verdict === undefined && isToBeLookedUp(of, asksForResource(statement, rights))) isHanging = true
    else return [{ reason: 'DENIED_BY_POLICY', bindingIds: [], policyId: statement.policyId }, false]
  }
  return [undefined, isHanging]
}

/**
 * Returns the decision by conditional bindings and ALLOW statements; undefined if the resources must be looked up
 * first. A binding with an undecided condition grants nothing.
 */
function conditionally(
  of: Case,
  conditional: readonly HeldBinding[],
  allowing: readonly Concerning[],
): Decision | undefined {
  const { rights, called } = of
  const attributes = attributesOf(of)
  const verdicts = conditional.map(({ condition }) => condition?.decide(attributes))
  const giving = conditional.filter((_, i) => verdicts[i] === true)
  if (giving.length > 0) return { reason: 'GRANTED', bindingIds: giving.map(({ id }) => id), policyId: '' }
  let isHanging = conditional.some(
    ({ condition }, i) => verdicts[i] === undefined && isToBeLookedUp(of, condition?.asksForResource === true),
  )
  let unmet = ''
  for (const each of allowing) {
    const { statement } = each
    const { isConditionMet, isMeant } = matchOf(each, rights, called, attributes)
    const verdict = both(isMeant, isConditionMet)
    if (verdict) return { reason: 'GRANTED', bindingIds: [], policyId: statement.policyId }
    isHanging ||= verdict === undefined && isToBeLookedUp(of, asksForResource(statement, rights))
    if (isMeant && unmet === '') unmet = statement.policyId
  }
  if (isHanging) return undefined
  const bindingIds = conditional.map(({ id }) => id)
  if (bindingIds.length === 0 && unmet === '') return notGranted
  return { reason: 'CONDITION_NOT_MET', bindingIds, policyId: unmet }
}

const isToBeLookedUp = ({ areLookedUp, called }: Case, asks: boolean): boolean =>
  asks && !areLookedUp && called.length > 0

/** The decision for an unconditional grant. The ids of the granting bindings are computed only when they are read. */
class Unconditional implements Decision {
  readonly reason = 'GRANTED'
  readonly policyId = ''
  readonly #rights: RightsAt
  readonly #bit: number

  constructor(rights: RightsAt, bit: number) {
    this.#rights = rights
    this.#bit = bit
  }

  get bindingIds(): readonly string[] {
    return this.#rights.unconditionalIds(this.#bit)
  }
}

function attributesOf({ circumstances, permission, rights, called }: Case): Attributes {
  return attributes(rights.held, permission.id, circumstances, innermostNamed(called))
}

/** Returns the attributes that conditions use. */
export function attributes(
  { principal }: Pick<RightsAt['held'], 'principal'>,
  permission: string | undefined,
  { ip, now }: Circumstances,
  resource: Attributes['resource'],
): Attributes {
  const time = new Date(now)
  return {
    request: {
      time: formatMillis(now),
      hour_of_day: time.getUTCHours(),
      day_of_week: time.getUTCDay() || 7,
      ip,
      permission,
    },
    principal,
    resource,
  }
}
