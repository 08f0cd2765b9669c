import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RetentionRule } from '../../../../../output/registry/types.ts'
import { decide } from '../../../../../domain/registry/retention/decide.ts'
import { deletionOrder } from '../../../../../domain/registry/retention/holders.ts'
import type { ArtifactFacts } from '../../../../../domain/registry/retention/match-rule.ts'
import { atOnce, inSlices } from '../../../../../domain/registry/retention/steps.ts'
import { deleting, facts, keeping, rules } from './facts.ts'
import { naiveDecisions } from './naive-decisions.ts'

interface Case {
  readonly name: string
  readonly artifacts: readonly ArtifactFacts[]
  readonly rules: readonly RetentionRule[]
  readonly immutable?: readonly string[]
  /** The decisions as `digest OUTCOME rule tags`. */
  readonly decisions: readonly string[]
}

const old = deleting('old', { pushed_before: '432000s' })

const cases: readonly Case[] = [
  {
    name: 'an age longer than that of the rule deletes, an equal one does not',
    artifacts: [facts('a', { pushed: 6 }), facts('b', { pushed: 5 }), facts('c', { pushed: 1 })],
    rules: [old],
    decisions: ['a DELETE old '],
  },
  {
    name: 'all conditions of a rule must hold',
    artifacts: [facts('a', { tags: ['x'] }), facts('b'), facts('c', { kind: 'REGISTRY_ARTIFACT_KIND_INDEX' })],
    rules: [deleting('r', { tag_state: 'REGISTRY_TAG_STATE_UNTAGGED', kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'] })],
    decisions: ['b DELETE r '],
  },
  {
    name: 'a pull keeps what its push would not, and a missing pull is the push',
    artifacts: [facts('a', { pulled: 1 }), facts('b'), facts('c', { pushed: 1 })],
    rules: [deleting('r', { pulled_before: '432000s' })],
    decisions: ['b DELETE r '],
  },
  {
    name: 'a KEEP rule wins over a DELETE rule, whatever their order is',
    artifacts: [facts('a', { pulled: 1 }), facts('b')],
    rules: [keeping('used', { pulled_within: '172800s' }), old],
    decisions: ['a KEPT used ', 'b DELETE old '],
  },
  {
    name: 'a DELETE rule for some tags of an artifact takes those alone',
    artifacts: [facts('a', { tags: ['dev-1', 'dev-2', 'v1'] }), facts('b', { tags: ['dev-3'] })],
    rules: [deleting('dev', { tag_patterns: ['dev-*'] })],
    decisions: ['a UNTAG dev dev-1,dev-2', 'b DELETE dev dev-3'],
  },
  {
    name: 'two DELETE rules that match different tags take both, and not the artifact',
    artifacts: [facts('a', { tags: ['x', 'y'] })],
    rules: [deleting('one', { tag_patterns: ['x'] }), deleting('two', { tag_patterns: ['y'] })],
    decisions: ['a UNTAG one x,y'],
  },
  {
    name: 'an excluded tag stays, and an artifact without tags has none to exclude',
    artifacts: [facts('a', { tags: ['v1', 'x'] }), facts('b', { tags: ['v1'] }), facts('c')],
    rules: [deleting('r', { exclude_tag_patterns: ['v*'] })],
    decisions: ['a UNTAG r x', 'c DELETE r '],
  },
  {
    name: 'a KEEP rule that matches one tag keeps the artifact and that tag',
    artifacts: [facts('a', { tags: ['dev', 'v1'] })],
    rules: [deleting('all', { tag_patterns: ['*'] }), keeping('releases', { tag_patterns: ['v*'] })],
    decisions: ['a UNTAG all dev'],
  },
  {
    name: 'a KEEP rule that matches one tag keeps the others too from a rule that is about no tag in particular',
    artifacts: [facts('a', { tags: ['dev', 'v1'] })],
    rules: [old, keeping('releases', { tag_patterns: ['v*'] })],
    decisions: ['a KEPT releases '],
  },
  {
    name: 'the most recent of the artifacts that a rule matches are kept',
    artifacts: [
      facts('a', { pushed: 9, tags: ['v1'] }),
      facts('b', { pushed: 8, tags: ['v2'] }),
      facts('c', { pushed: 8, tags: ['v3'] }),
      facts('d', { pushed: 7, tags: ['dev'] }),
    ],
    rules: [old, keeping('newest', { tag_patterns: ['v*'], keep_most_recent: 1 })],
    decisions: ['a DELETE old v1', 'b KEPT newest ', 'c DELETE old v3', 'd DELETE old dev'],
  },
  {
    name: 'a lock keeps an artifact with all its tags',
    artifacts: [facts('a', { isLocked: true, tags: ['dev', 'v1'] }), facts('b', { isLocked: true })],
    rules: [deleting('dev', { tag_patterns: ['dev'] }), old],
    decisions: ['a LOCKED dev ', 'b LOCKED old '],
  },
  {
    name: 'an immutable tag keeps its artifact and itself',
    artifacts: [facts('a', { tags: ['dev', 'v1'] }), facts('b', { tags: ['v1'] }), facts('c', { tags: ['dev', 'v1'] })],
    rules: [deleting('named', { tag_patterns: ['*'] })],
    immutable: ['v1'],
    decisions: ['a UNTAG named dev', 'b IMMUTABLE named ', 'c UNTAG named dev'],
  },
  {
    name: 'children and referrers of what stays stay, through any number of steps',
    artifacts: [
      facts('index', { pushed: 1 }),
      facts('child', { parents: ['index'] }),
      facts('grandchild', { parents: ['child'] }),
      facts('sbom', { subject: 'grandchild' }),
      facts('signature', { subject: 'sbom', tags: ['sig'] }),
    ],
    rules: [old, deleting('sig', { tag_patterns: ['sig'] })],
    decisions: ['child KEPT old ', 'grandchild KEPT old ', 'sbom KEPT old ', 'signature UNTAG sig sig'],
  },
  {
    name: 'children and referrers of what goes go, and a missing subject keeps nothing',
    artifacts: [
      facts('index'),
      facts('child', { parents: ['index'] }),
      facts('sbom', { subject: 'child' }),
      facts('other', { subject: 'missing' }),
    ],
    rules: [old],
    decisions: ['index DELETE old ', 'child DELETE old ', 'sbom DELETE old ', 'other DELETE old '],
  },
  {
    name: 'a child stays while one of its indexes does',
    artifacts: [facts('one'), facts('two', { pushed: 1 }), facts('child', { parents: ['one', 'two'] })],
    rules: [old],
    decisions: ['one DELETE old ', 'child KEPT old '],
  },
]

describe('retention', () => {
  it.each(cases)('decides: $name', ({ artifacts, decisions, immutable, rules: given }) => {
    const made = atOnce(decide(artifacts, rules(given, immutable))).decisions
    expect(
      made.map(({ artifact, outcome, ruleId, tags }) => `${artifact.digest} ${outcome} ${ruleId} ${tags.join(',')}`),
    ).toEqual(decisions)
  })

  it('decides any repository as a second reading of its rules does', () => {
    let [deleted, untagged, kept] = [0, 0, 0]
    fc.assert(
      fc.property(repositories, ({ artifacts, given, immutable }) => {
        const made = atOnce(decide(artifacts, rules(given, immutable))).decisions
        const naive = naiveDecisions({ artifacts, ...rules(given), immutable: new Set(immutable) })
        const dying = made.filter(({ outcome }) => outcome === 'DELETE').map(({ artifact }) => artifact)
        expect(new Set(dying.map(({ digest }) => digest))).toEqual(naive.deleted)
        const losing = made.filter(({ outcome }) => outcome === 'UNTAG')
        expect(new Set(losing.flatMap(({ artifact, tags }) => tags.map(tag => `${artifact.digest} ${tag}`)))).toEqual(
          naive.untagged,
        )
        requireOrder(atOnce(deletionOrder(dying)), dying)
        deleted += dying.length
        untagged += losing.length
        kept += made.length - dying.length - losing.length
      }),
      { numRuns: 3000 },
    )
    // The repositories have enough of everything.
    expect(Math.min(deleted, untagged, kept)).toBeGreaterThan(500)
  })

  it('removes nothing that the same rules without a KEEP rule, a lock or an immutable tag would not remove', () => {
    fc.assert(
      fc.property(repositories, ({ artifacts, given, immutable }) => {
        const more = goneOf(artifacts, given, [])
        const without = given.filter(({ action }) => action === 'REGISTRY_RETENTION_ACTION_DELETE')
        const most = goneOf(
          artifacts.map(artifact => ({ ...artifact, isLocked: false })),
          without,
          [],
        )
        expect([...goneOf(artifacts, given, immutable)].filter(one => !more.has(one))).toEqual([])
        expect([...more].filter(one => !most.has(one))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('deletes artifacts that hold each other in a circle, children after their indexes', () => {
    const circle = [
      facts('child', { parents: ['index'] }),
      facts('index', { subject: 'sbom' }),
      facts('sbom', { subject: 'child' }),
      facts('below', { subject: 'sbom' }),
    ]
    const dying = atOnce(decide(circle, rules([old]))).decisions.map(({ artifact }) => artifact)
    expect(dying).toHaveLength(4)
    const order = atOnce(deletionOrder(dying)).map(({ digest }) => digest)
    expect(order.toSorted()).toEqual(['below', 'child', 'index', 'sbom'])
    expect(order.indexOf('index')).toBeLessThan(order.indexOf('child'))
  })

  it('lets other work run while it decides about many artifacts, and ends with the signal', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => facts(`d${i}`, i === 0 ? {} : { subject: `d${i - 1}` }))
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    const { decisions } = await inSlices(decide(many, rules([old])), new AbortController().signal)
    clearInterval(timer)
    expect(decisions).toHaveLength(many.length)
    expect(turns).toBeGreaterThan(3)
    const over = AbortSignal.abort(new Error('over'))
    await expect(inSlices(decide(many, rules([old])), over)).rejects.toThrow('over')
  })
})

/** Returns what goes: digests, and pairs `digest tag`; a deleted artifact goes with all its tags. */
function goneOf(artifacts: readonly ArtifactFacts[], given: readonly RetentionRule[], immutable: readonly string[]) {
  const made = atOnce(decide(artifacts, rules(given, immutable))).decisions
  return new Set(
    made.flatMap(({ artifact: { digest }, outcome, tags }) => [
      ...(outcome === 'DELETE' ? [digest] : []),
      ...tags.map(tag => `${digest} ${tag}`),
    ]),
  )
}

/** Expects the same artifacts, each after its indexes. */
function requireOrder(ordered: readonly ArtifactFacts[], dying: readonly ArtifactFacts[]): void {
  expect(new Set(ordered)).toEqual(new Set(dying))
  const places = new Map(ordered.map(({ digest }, i) => [digest, i]))
  for (const [i, { parents }] of ordered.entries())
    for (const parent of parents) expect(places.get(parent) ?? -1).toBeLessThan(i)
}

const tag = fc.constantFrom('v1', 'v2', 'dev-1', 'dev-2', 'latest')
const pattern = fc.constantFrom('*', 'v*', 'dev-?', 'v1', 'latest', 'dev-*', 'x')
const patterns = fc.array(pattern, { maxLength: 2 })
const age = fc.option(fc.constantFrom('0s', '86400s', '259200s'), { nil: undefined, freq: 1 })

const conditions = fc.record(
  {
    tag_state: fc.constantFrom(
      'REGISTRY_TAG_STATE_ANY' as const,
      'REGISTRY_TAG_STATE_TAGGED' as const,
      'REGISTRY_TAG_STATE_UNTAGGED' as const,
    ),
    tag_patterns: patterns,
    exclude_tag_patterns: patterns,
    kinds: fc.constantFrom([], ['REGISTRY_ARTIFACT_KIND_IMAGE' as const]),
    pushed_before: age,
    pushed_within: age,
    pulled_before: age,
    pulled_within: age,
  },
  { requiredKeys: [] },
)

const given = fc
  .tuple(
    fc.array(conditions, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(conditions, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })), { maxLength: 2 }),
  )
  .map(([deletes, keeps]): readonly RetentionRule[] => [
    ...deletes.map((more, i) => deleting(`delete-${i}`, defined(more))),
    ...keeps.map(([more, most], i) =>
      keeping(`keep-${i}`, { ...defined(more), ...(most !== undefined && { keep_most_recent: most }) }),
    ),
  ])

/** Returns conditions without members that are undefined. */
const defined = (more: object): Partial<RetentionRule> =>
  Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))

const shapes = fc.array(
  fc.record({
    tags: fc.uniqueArray(tag, { maxLength: 3 }),
    pushed: fc.integer({ min: 0, max: 4 }),
    pulled: fc.integer({ min: 0, max: 4 }),
    kind: fc.constantFrom('REGISTRY_ARTIFACT_KIND_IMAGE', 'REGISTRY_ARTIFACT_KIND_INDEX'),
    isLocked: fc.integer({ min: 0, max: 9 }).map(one => one === 0),
    parents: fc.uniqueArray(fc.nat(7), { maxLength: 2 }),
    subject: fc.option(fc.nat(9), { nil: undefined, freq: 1 }),
  }),
  { maxLength: 8 },
)

/** Repositories in which indexes come before their children; a subject may be any artifact, also an absent one. */
const repositories = fc.record({
  artifacts: shapes.map(all =>
    all.map(({ parents, pulled, pushed, subject, ...more }, i) =>
      facts(`d${i}`, {
        ...more,
        pushed,
        pulled: Math.min(pulled, pushed),
        parents: parents.filter(parent => parent < i).map(parent => `d${parent}`),
        subject: subject === undefined || subject === i ? '' : `d${subject}`,
      }),
    ),
  ),
  given,
  immutable: fc.uniqueArray(tag, { maxLength: 1 }),
})
