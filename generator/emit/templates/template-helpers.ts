import Handlebars from 'handlebars'
import { docComment } from '../layout/comment.ts'
import { unmarked } from './override-marks.ts'
import { UnknownMember } from './template-problem.ts'

/** A separate instance of Handlebars with the helpers of templates. */
export const handlebars = Handlebars.create()

/** `{{#doc}}words{{/doc}}` makes a doc comment with these words, indented by `indent` blanks. */
handlebars.registerHelper('doc', function (this: unknown, { fn, hash }: Handlebars.HelperOptions) {
  const indentation = typeof hash['indent'] === 'number' ? hash['indent'] : 0
  return docComment(unmarked(fn(this)), indentation).trim()
})

// In strict mode, Handlebars refuses unknown members in output only; these helpers refuse unknown members in blocks
// too. Views never have undefined members.
for (const name of ['each', 'if', 'unless', 'with']) {
  const helper = handlebars.helpers[name]
  handlebars.registerHelper(name, function (this: unknown, value: unknown, given: Handlebars.HelperOptions) {
    if (value === undefined) throw new UnknownMember(`{{#${name}}}`, given)
    return helper?.call(this, value, given)
  })
}
