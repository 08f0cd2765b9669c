import type { AccessPolicy, AccessRule } from '../../../output/registry/types.ts'
import { parseCidr, type Cidr } from '../../addresses/cidr.ts'
import { matchesAny } from '../../resources/glob.ts'

/** An action that access policies decide, without the prefix of its enum. */
export type RegistryAction = 'PULL' | 'PUSH' | 'DELETE' | 'SCAN'

/** A rule of an access policy in the form in which calls are compared with it. */
export interface CompiledRule {
  readonly isDenial: boolean
  /** The ids of principals, and the words for groups of them. */
  readonly principals: ReadonlySet<string>
  readonly actions: ReadonlySet<string>
  readonly tagPatterns: readonly string[]
  readonly networks: readonly Cidr[]
  /** The time at which the rule ends, in milliseconds since 1970. */
  readonly endMs: number
}

/** The facts of a call that rules compare. */
export interface RuleSubject {
  /** The id of the caller; undefined for an anonymous caller. */
  readonly principal: string | undefined
  readonly action: RegistryAction
  /** The tags that the call sets or deletes; empty if there are none, or if they are not known yet. */
  readonly tags: readonly string[]
  readonly clientAddress: string
  /** The time of the call in milliseconds since 1970. */
  readonly now: number
}

/** Returns the rules of an access policy. */
export const compile = ({ rules }: Pick<AccessPolicy, 'rules'>): readonly CompiledRule[] => rules.map(compiledRule)

const compiledRule = ({
  actions,
  effect,
  expire_time,
  principals,
  source_cidrs,
  tag_patterns,
}: AccessRule): CompiledRule => ({
  isDenial: effect === 'REGISTRY_POLICY_EFFECT_DENY',
  principals: new Set(principals),
  actions: new Set(actions),
  tagPatterns: tag_patterns,
  networks: source_cidrs.flatMap(text => parseCidr(text) ?? []),
  endMs: expire_time === undefined ? Infinity : Date.parse(expire_time),
})

/**
 * Returns whether a rule matches a call. Of a rule with patterns of tags, a denial matches if any of the tags does, an
 * allowance if all do (registry.md 1); so a call without tags matches the allowance and not the denial.
 */
export function matches(rule: CompiledRule, { action, clientAddress, now, principal, tags }: RuleSubject): boolean {
  if (rule.endMs <= now || !rule.actions.has(`REGISTRY_ACTION_${action}`)) return false
  if (!names(rule, principal)) return false
  if (rule.networks.length > 0 && !rule.networks.some(network => network.contains(clientAddress))) return false
  if (rule.tagPatterns.length === 0) return true
  const isMatch = (tag: string): boolean => matchesAny(rule.tagPatterns, tag)
  return rule.isDenial ? tags.some(isMatch) : tags.every(isMatch)
}

function names({ principals }: CompiledRule, principal: string | undefined): boolean {
  if (principals.has('ALL_USERS')) return true
  return principal !== undefined && (principals.has('ALL_AUTHENTICATED') || principals.has(principal))
}
