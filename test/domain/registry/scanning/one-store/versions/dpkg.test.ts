import { describe, it } from 'vitest'
import { compareDpkg } from '../../../../../../domain/registry/scanning/versions/dpkg.ts'
import { hasProgram } from '../../../../../server/programs.ts'
import { askedBy, expectJudged, judgeTimeoutMs } from './judged.ts'
import { forms } from './version-forms.ts'

describe.skipIf(!hasProgram('dpkg'))('dpkg (install dpkg to run this)', () => {
  it('sorts versions as the order of Debian does', { timeout: judgeTimeoutMs }, async () => {
    await expectJudged(compareDpkg, forms.dpkg, { program: 'sh', args: [askedBy('dpkg.sh')] })
  })
})
