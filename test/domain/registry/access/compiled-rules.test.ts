import { describe, expect, it } from 'vitest'
import { compile, matches, type RuleSubject } from '../../../../domain/registry/access/compiled-rules.ts'
import type { AccessPolicy, AccessRule } from '../../../../output/registry/types.ts'

const [somebody, another] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002']
const now = Date.parse('2026-06-01T00:00:00Z')

const ruleOf = (rule: Partial<AccessRule>): AccessRule => ({
  effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
  principals: [somebody],
  actions: ['REGISTRY_ACTION_PUSH'],
  tag_patterns: [],
  source_cidrs: [],
  ...rule,
})

const subject: RuleSubject = { principal: somebody, action: 'PUSH', tags: [], clientAddress: '192.0.2.7', now }

function isMatch(rule: Partial<AccessRule>, more: Partial<RuleSubject>): boolean {
  const policy: Pick<AccessPolicy, 'rules'> = { rules: [ruleOf(rule)] }
  const [compiled] = compile(policy)
  return compiled !== undefined && matches(compiled, { ...subject, ...more })
}

const deny = { effect: 'REGISTRY_POLICY_EFFECT_DENY' } as const
const pull = { actions: ['REGISTRY_ACTION_PULL'] } satisfies Partial<AccessRule>
const limited = { tag_patterns: ['dev-*', 'latest'] }

describe('a rule of an access policy', () => {
  const cases: readonly [name: string, rule: Partial<AccessRule>, of: Partial<RuleSubject>, expected: boolean][] = [
    ['matches its principal and action', {}, {}, true],
    ['does not match another principal', {}, { principal: another }, false],
    ['does not match another action', {}, { action: 'PULL' }, false],
    ['does not match an anonymous caller', {}, { principal: undefined }, false],
    ['for the signed-in matches any principal', { principals: ['ALL_AUTHENTICATED'] }, { principal: another }, true],
    ['for the signed-in matches no anonymous', { principals: ['ALL_AUTHENTICATED'] }, { principal: undefined }, false],
    [
      'for all matches the anonymous',
      { ...pull, principals: ['ALL_USERS'] },
      { action: 'PULL', principal: undefined },
      true,
    ],
    ['for all matches the signed-in', { ...pull, principals: ['ALL_USERS'] }, { action: 'PULL' }, true],
    ['matches an address of its networks', { source_cidrs: ['198.51.100.0/24', '192.0.2.0/29'] }, {}, true],
    ['does not match an address beside its network', { source_cidrs: ['192.0.2.0/30'] }, {}, false],
    ['matches a mapped address', { source_cidrs: ['192.0.2.0/24'] }, { clientAddress: '::ffff:192.0.2.7' }, true],
    ['matches IPv6', { source_cidrs: ['2001:db8::/32'] }, { clientAddress: '2001:db8::1' }, true],
    ['compares no IPv4 address with IPv6', { source_cidrs: ['::/0'] }, {}, false],
    ['does not match an unknown address', { source_cidrs: ['0.0.0.0/0'] }, { clientAddress: '' }, false],
    ['matches before its end', { expire_time: '2026-06-01T00:00:00.001Z' }, {}, true],
    ['does not match at its end', { expire_time: '2026-06-01T00:00:00.000Z' }, {}, false],
    ['that allows some tags matches if all do', limited, { tags: ['dev-1', 'latest'] }, true],
    ['that allows some tags does not match another one', limited, { tags: ['dev-1', 'v1'] }, false],
    ['that allows some tags matches a call without tags', limited, {}, true],
    ['that denies some tags matches if one does', { ...deny, ...limited }, { tags: ['v1', 'dev-1'] }, true],
    ['that denies some tags does not match others', { ...deny, ...limited }, { tags: ['v1'] }, false],
    ['that denies some tags does not match a call without tags', { ...deny, ...limited }, {}, false],
  ]
  it.each(cases)('%s', (_, rule, more, expected) => {
    expect(isMatch(rule, more)).toBe(expected)
  })
})
