import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { compareSemver } from '../../../../../../domain/registry/scanning/versions/semver.ts'
import { seeded } from '../../../../../areas/random.ts'
import { expectJudged, judgeTimeoutMs, judgesFolder, pythonJudge } from './judged.ts'
import { forms, nearPairs } from './version-forms.ts'

describe('the order of npm', () => {
  it('sorts versions as the package semver does', () => {
    for (const [a, b] of nearPairs(seeded(7), forms.semver, 5000)) {
      const judged = semver.compare(a, b, { loose: true })
      expect(`${a} ${b} ${Math.sign(compareSemver(a, b))}`).toBe(`${a} ${b} ${judged}`)
    }
  })

  it.each([
    ['1.2', '1.2.1'],
    ['1.2.3beta', '1.2.3'],
    ['1.2.3', '1.2.3.4'],
    ['9007199254740993.0.0', '9007199254740994.0.0'],
    ['latest', '0.0.1'],
    ['v0.0.0-20191109021931-daa7c04131f5', 'v0.0.0-20200101000000-000000000000'],
    ['v2.0.0-rc.1+incompatible', 'v2.0.0+incompatible'],
  ])('takes %s, which is lower than %s', (lower, higher) => {
    expect(compareSemver(lower, higher)).toBeLessThan(0)
    expect(compareSemver(higher, lower)).toBeGreaterThan(0)
  })
})

describe.skipIf(judgesFolder === undefined)('univers of Python (set NINEFOLD_VERSION_JUDGES to run this)', () => {
  it('sorts versions as the order of npm does', { timeout: judgeTimeoutMs }, async () => {
    // This judge takes no letter in front, and lets the build count.
    await expectJudged(compareSemver, forms.semver.slice(1, -1), pythonJudge('univers.versions.SemverVersion'))
  })
})
