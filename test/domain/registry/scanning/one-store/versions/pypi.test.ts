import { describe, expect, it } from 'vitest'
import { comparePypi } from '../../../../../../domain/registry/scanning/versions/pypi.ts'
import { expectJudged, judgeTimeoutMs, judgesFolder, pythonJudge } from './judged.ts'
import { forms } from './version-forms.ts'

describe.skipIf(judgesFolder === undefined)('packaging of Python (set NINEFOLD_VERSION_JUDGES to run this)', () => {
  it('sorts versions as the order of PyPI does', { timeout: judgeTimeoutMs }, async () => {
    await expectJudged(comparePypi, forms.pypi, pythonJudge('packaging.version.Version'))
  })
})

describe('a text that is no version of Python', () => {
  it.each([
    ['2004d', '1.0'],
    ['french toast', '0.dev0'],
    ['1.0-final-x', '1.0-final-y'],
    ['1.0.alpha.x', '1.0.y'],
    ['1.9.x', '1.10.x'],
  ])('%s is lower than %s', (lower, higher) => {
    expect(comparePypi(lower, higher)).toBeLessThan(0)
    expect(comparePypi(higher, lower)).toBeGreaterThan(0)
  })
})
