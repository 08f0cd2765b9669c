import type { LogfmtParser } from '../language/log-expression.ts'
import { labelNameOf } from './label-names.ts'
import { LogfmtText } from './logfmt-text.ts'
import { failParsing, makeLabel, type StageFunction } from './stage-function.ts'
import type { WantedLabels } from './wanted-labels.ts'

/** The name of the error of lines that are no logfmt. */
const logfmtError = 'LogfmtParserErr'

/** Makes labels of the keys of a line in logfmt. */
export function logfmtParser({ strict, keepEmpty }: LogfmtParser, wanted: WantedLabels): StageFunction {
  return (line, labels) => {
    const isComplete = (): boolean => wanted.areComplete(name => labels.isExtracted(name))
    if (isComplete()) return line
    const text = new LogfmtText(line)
    while (!text.isAtEnd) {
      if (!text.next()) {
        if (strict) break
        continue
      }
      const value = text.value.replaceAll('\ufffd', ' ')
      if (value === '' && !keepEmpty) continue
      makeLabel(labels, wanted, labelNameOf(text.key), value)
      if (isComplete()) break
    }
    if (strict && text.fault !== '') failParsing(labels, wanted, logfmtError, text.fault)
    return line
  }
}

/** Makes one label of the value of each key. A label without a value is empty, unless the entry has it already. */
export function logfmtExtraction(
  extractions: NonNullable<LogfmtParser['extractions']>,
  strict: boolean,
  wanted: WantedLabels,
): StageFunction {
  const byKey = new Map<string, string[]>()
  for (const { label, key } of extractions) byKey.set(key, [...(byKey.get(key) ?? []), label])
  // A key that is the name of a label alone sets this label too.
  for (const { label } of extractions) if (!byKey.has(label)) byKey.set(label, [label])
  return (line, labels) => {
    const isComplete = (): boolean => wanted.areComplete(name => labels.isExtracted(name))
    if (isComplete()) return line
    for (const { label } of extractions) if (labels.nameFor(label) === label) labels.set(label, '')
    const text = new LogfmtText(line)
    while (!text.isAtEnd) {
      if (!text.next()) {
        if (strict) break
        continue
      }
      for (const label of byKey.get(labelNameOf(text.key)) ?? []) {
        labels.set(labels.nameFor(label), text.value.includes('\ufffd') ? '' : text.value)
      }
    }
    if (strict && text.fault !== '') failParsing(labels, wanted, logfmtError, text.fault)
    return line
  }
}
