import { describe, it } from 'vitest'
import { compareRubyGems } from '../../../../../../domain/registry/scanning/versions/rubygems.ts'
import { hasProgram } from '../../../../../server/programs.ts'
import { askedBy, expectJudged, judgeTimeoutMs } from './judged.ts'
import { forms } from './version-forms.ts'

describe.skipIf(!hasProgram('ruby'))('Gem::Version of Ruby (install ruby to run this)', () => {
  it('sorts versions as the order of RubyGems does', { timeout: judgeTimeoutMs }, async () => {
    await expectJudged(compareRubyGems, forms.rubygems, { program: 'ruby', args: [askedBy('gem-versions.rb')] })
  })
})
