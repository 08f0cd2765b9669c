import { describe, expect, it } from 'vitest'
import { compareMaven } from '../../../../../../domain/registry/scanning/versions/maven.ts'
import { hasProgram } from '../../../../../server/programs.ts'
import { askedBy, expectJudged, judgeFile, judgeTimeoutMs } from './judged.ts'
import { forms } from './version-forms.ts'

const jar = judgeFile('maven-artifact.jar')

describe.skipIf(jar === undefined || !hasProgram('javac'))(
  'ComparableVersion of Maven (install a JDK and set NINEFOLD_VERSION_JUDGES to run this)',
  () => {
    it('sorts versions as the order of Maven does', { timeout: judgeTimeoutMs }, async () => {
      const args = ['-cp', jar ?? '', askedBy('MavenOrder.java')]
      await expectJudged(compareMaven, forms.maven, { program: 'java', args })
    })
  },
)

describe('the order of Maven', () => {
  it('has the circles of Maven', () => {
    expect(compareMaven('1-1', '1.0.alpha.1')).toBeLessThan(0)
    expect(compareMaven('1.0.alpha.1', '1')).toBeLessThan(0)
    expect(compareMaven('1', '1-1')).toBeLessThan(0)
  })
})
