import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compareApk } from '../../../../../../domain/registry/scanning/versions/apk.ts'
import { expectJudged, judgeFile, judgeTimeoutMs, judgesFolder, pythonJudge } from './judged.ts'
import { forms } from './version-forms.ts'

describe.skipIf(judgesFolder === undefined)('univers of Python (set NINEFOLD_VERSION_JUDGES to run this)', () => {
  it('sorts versions as the order of Alpine does', { timeout: judgeTimeoutMs }, async () => {
    await expectJudged(compareApk, forms.apk, pythonJudge('univers.versions.AlpineLinuxVersion'))
  })
})

const list = judgeFile('alpine_test.txt')

describe.skipIf(list === undefined)('the list of apk-tools (set NINEFOLD_VERSION_JUDGES to run this)', () => {
  it('has the order of Alpine', () => {
    const lines = readFileSync(list ?? '', 'utf8')
      .split('\n')
      .filter(line => /^\S+ [<=>] \S+$/.test(line))
    expect(lines.length).toBeGreaterThan(600)
    const signs = ['<', '=', '>']
    const found = lines.map(line => {
      const [a = '', , b = ''] = line.split(' ')
      return `${a} ${signs[Math.sign(compareApk(a, b)) + 1]} ${b}`
    })
    expect(found).toEqual(lines)
  })
})

describe('the order of Alpine', () => {
  it.each([
    ['1.0_alpha', '1.0_beta'],
    ['1.0_beta', '1.0_pre'],
    ['1.0_pre', '1.0_rc'],
    ['1.0_rc', '1.0'],
    ['1.0', '1.0_cvs'],
    ['1.0_cvs', '1.0_svn'],
    ['1.0_svn', '1.0_git'],
    ['1.0_git', '1.0_hg'],
    ['1.0_hg', '1.0_p'],
    ['1.0_p', '1.0_p0'],
    ['1.0', '1.0-r0'],
    ['1.0-r9', '1.0-r10'],
    ['1.0-r1', '1.0~0af'],
    ['1.0~0ae', '1.0~0af'],
    ['1.0', '1.0a'],
    ['1.0a', '1.0.1'],
    ['1.00', '1.01'],
    ['1.0', '1.00'],
    ['1.09', '1.9'],
    ['1.0_git20240101', '1.0_git20240102'],
    ['1.18446744073709551616', '1.18446744073709551617'],
    ['1.0!', '1.0'],
    ['', '0'],
  ])('puts %s below %s', (lower, higher) => {
    expect(compareApk(lower, higher)).toBeLessThan(0)
    expect(compareApk(higher, lower)).toBeGreaterThan(0)
  })

  it.each([
    ['01', '1'],
    ['1.0_rc01', '1.0_rc1'],
    ['1.0-r01', '1.0-r1'],
    ['1.0!a', '1.0!b'],
  ])('takes %s and %s for the same version', (a, b) => {
    expect(compareApk(a, b)).toBe(0)
  })
})
