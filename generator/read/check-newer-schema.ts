import { type Message, messages } from '../diagnostics.ts'
import { isDefaultDialect } from './dialect.ts'
import { patternFault } from './check-pattern.ts'
import { member, members, text } from './located.ts'
import type { Located } from './types.ts'
import { isRecord } from './pointer.ts'

/** The keywords that have no effect without another keyword. */
const dependants = [
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
] as const

/** Checks the keywords of a schema that only OpenAPI 3.1 has. `report` reports a message at a keyword. */
export function checkNewerSchema(at: Located, report: (message: Message, name: string) => void): void {
  for (const [name, needed] of dependants)
    if (member(at, name) && !member(at, needed)) report(messages.keywordAlone(name, needed), name)
  for (const [pattern] of members(member(at, 'patternProperties'))) {
    const message = patternFault(pattern)
    if (message) report(message, 'patternProperties')
  }
  const types = member(at, 'type')
  if (Array.isArray(types?.value) && types.value.length === 0) report(messages.typeEmpty(), 'type')
  checkDependentRequired(at, report)
  const examples = member(at, 'examples')
  if (examples && !Array.isArray(examples.value)) report(messages.examplesList(), 'examples')
  const dialect = text(at, '$schema')
  if (dialect !== undefined && !isDefaultDialect(dialect)) report(messages.dialectUnknown(dialect), '$schema')
  checkContent(at, report)
}

function checkDependentRequired(at: Located, report: (message: Message, name: string) => void): void {
  const dependent = member(at, 'dependentRequired')
  if (!dependent) return
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(name => typeof name === 'string')
  if (!isRecord(dependent.value)) report(messages.wrongType('dependentRequired', 'an object'), 'dependentRequired')
  else if (!Object.values(dependent.value).every(isTexts))
    report(messages.wrongType('dependentRequired', 'an object of lists of texts'), 'dependentRequired')
}

/** Reports the encoding and the media type of a text as far as no generated code checks them. */
function checkContent(at: Located, report: (message: Message, name: string) => void): void {
  const encoding = text(at, 'contentEncoding')
  if (encoding !== undefined && encoding !== 'base64')
    report(messages.contentUnchecked('contentEncoding'), 'contentEncoding')
  if (member(at, 'contentMediaType') && (encoding !== undefined || /json/i.test(text(at, 'contentMediaType') ?? '')))
    report(messages.contentUnchecked('contentMediaType'), 'contentMediaType')
}
