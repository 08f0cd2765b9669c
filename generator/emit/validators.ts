import type { NamedSchema, View } from '../model/types.ts'
import { CheckPrinter } from './check-printer.ts'
import { printComplete, printRequestComplete } from './complete-functions.ts'
import { type Emission, openFile } from './emission.ts'
import { printFields } from './fields.ts'
import type { OutputFile } from './file.ts'
import { Hoisted } from './hoisted.ts'
import { patternNames } from './pattern-names.ts'

/**
 * Emits validators.ts: a check for each checked view of a schema, a check for each request, the functions that complete
 * requests, and the fields of the schemas that are updated by mask.
 */
export function emitValidators(emission: Emission): OutputFile {
  const file = openFile(emission, 'validators')
  const hoisted = new Hoisted(wanted => file.claim(wanted), patternNames(emission.document.schemas))
  const printer = new CheckPrinter(emission, file, hoisted)
  for (const schema of emission.document.schemas) {
    for (const [view, name] of checkedViews(schema, emission)) printer.named(schema, view, name)
    printComplete(schema, emission, file, hoisted)
  }
  for (const operation of emission.document.operations) {
    printer.request(operation)
    printRequestComplete(operation, emission, file, hoisted)
  }
  printFields(emission, file)
  file.hoist(hoisted.code)
  return file
}

/** Returns each checked view whose type differs from the types of the earlier views, with the name of its type. */
function checkedViews(
  { id, isAnswered, isSent, views }: NamedSchema,
  { checkedAnswers }: Emission,
): readonly (readonly [View, string])[] {
  const names = new Map<string, View>()
  const isChecked = checkedAnswers?.has(id) ?? true
  const sent = isSent || isChecked ? (['input', 'update'] as const) : []
  const checked = isAnswered && isChecked ? (['output', ...sent] as const) : sent
  for (const view of checked) if (!names.has(views[view])) names.set(views[view], view)
  return [...names].map(([name, view]) => [view, name])
}
