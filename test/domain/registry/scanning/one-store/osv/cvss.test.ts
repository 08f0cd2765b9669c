import { describe, expect, it } from 'vitest'
import type { CvssScore } from '../../../../../../output/registry/types.ts'
import { readScore, severityOf } from '../../../../../../domain/registry/scanning/osv/cvss.ts'

const base31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const base40 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'

describe('a vector of CVSS', () => {
  it.each([
    [base31, '3.1', 9.8],
    ['CVSS:3.0/AV:L/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N', '3.0', 2.2],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', '3.1', 6.1],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', '3.1', 0],
    [base40, '4.0', 9.3],
    ['AV:N/AC:L/Au:N/C:P/I:P/A:P', '2.0', 7.5],
    [`${base31}/E:U/RL:O`, '3.1', 9.8],
    [`${base40}/E:U`, '4.0', 9.3],
  ])('%s has the base score of version %s: %d', (vector, version, score) => {
    expect(readScore(vector)).toEqual({ version, vector, score })
  })

  it.each([
    [undefined],
    [9.8],
    [''],
    ['9.8'],
    ['CVSS:3.1/AV:N'],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:Q'],
    [`${base31}/AV:L`],
    [`${base31}/FOO:B`],
    [`${base31}/`],
    [` ${base31}`],
    ['CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'],
    ['AV:N/AC:L'],
    [`CVSS:3.1${'/AV:N'.repeat(10_000)}`],
    ['CVSS:3.1/constructor:__proto__'],
  ])('%s is none', vector => {
    expect(readScore(vector)).toBeUndefined()
  })
})

describe('the severity of scores', () => {
  const scored = (version: string, score: number): CvssScore => ({ version, vector: '', score })

  it.each([
    ['CRITICAL', 9],
    ['HIGH', 8.9],
    ['HIGH', 7],
    ['MEDIUM', 6.9],
    ['MEDIUM', 4],
    ['LOW', 3.9],
    ['LOW', 0.1],
    ['NONE', 0],
  ])('is %s for %d', (severity, score) => {
    expect(severityOf([scored('3.1', score)])).toBe(`REGISTRY_SEVERITY_${severity}`)
  })

  it('is that of the highest score of the newest version, and unknown without a score', () => {
    expect(severityOf([scored('3.1', 9.8), scored('4.0', 5), scored('4.0', 6), scored('2.0', 10)])).toBe(
      'REGISTRY_SEVERITY_MEDIUM',
    )
    expect(severityOf([scored('2.0', 10), scored('3.0', 2), scored('3.1', 1)])).toBe('REGISTRY_SEVERITY_LOW')
    expect(severityOf([])).toBe('REGISTRY_SEVERITY_UNKNOWN')
  })
})
