import type { LabelFormat, LabelRenaming, LabelSelection, Template } from '../language/log-expression.ts'
import { errorDetailsLabel, errorLabel, type EntryLabels } from './entry-labels.ts'
import { valueOf } from './label-filter.ts'
import { preserveErrorLabel, type StageFunction } from './stage-function.ts'

/** The name of the error of texts that a template cannot make. */
const templateError = 'TemplateFormatErr'

/** The longest text of a template, in UTF-16 code units: that of the longest line. */
const maxTextLength = 262_144

/** Fills a template with labels, of which absent ones are empty. A text that is too long is an error and undefined. */
function filled(template: Template, labels: EntryLabels): string | undefined {
  const texts = template.map(part => ('text' in part ? part.text : valueOf(labels, part.label)))
  if (texts.reduce((length, text) => length + text.length, 0) <= maxTextLength) return texts.join('')
  labels.setError(templateError, `the text of a template is longer than ${maxTextLength} characters`)
  return undefined
}

/** Replaces the line, which stays if the template cannot be filled. */
export const lineFormat =
  (template: Template): StageFunction =>
  (line, labels) =>
    filled(template, labels) ?? line

/** Sets labels in turn; all templates see the labels as they are before the first template. */
export function labelFormat({ formats }: LabelFormat): StageFunction {
  return (line, labels) => {
    let texts: Map<string, string> | undefined
    for (const format of formats) {
      if ('template' in format) {
        texts ??= filledTexts(formats, labels)
        const text = texts.get(format.name)
        if (text !== undefined) labels.set(format.name, text)
      } else rename(format, labels)
    }
    return line
  }
}

function filledTexts(formats: LabelFormat['formats'], labels: EntryLabels): Map<string, string> {
  const texts = new Map<string, string>()
  for (const format of formats) {
    const text = 'template' in format ? filled(format.template, labels) : undefined
    if (text !== undefined) texts.set(format.name, text)
  }
  return texts
}

function rename({ name, from }: LabelRenaming, labels: EntryLabels): void {
  const value = labels.get(from)
  if (value === undefined) return
  labels.set(name, value)
  labels.delete(from)
}

/** Removes labels. An error and its details are removed as labels are. */
export function dropLabels({ labels: dropped }: LabelSelection): StageFunction {
  return (line, labels) => {
    for (const { name, matcher } of dropped) {
      if (matcher !== undefined && !matcher.test(valueOf(labels, name))) continue
      if (name === errorLabel) labels.setError('', labels.errorDetails)
      else if (name === errorDetailsLabel) labels.setError(labels.error, '')
      else labels.delete(name)
    }
    return line
  }
}

/** Removes all labels but some. Errors stay. */
export function keepLabels({ labels: kept }: LabelSelection): StageFunction {
  const special = new Set([errorLabel, errorDetailsLabel, preserveErrorLabel])
  return (line, labels) => {
    const all = { ...labels.labels(), ...labels.metadata() }
    for (const [name, value] of Object.entries(all)) {
      if (special.has(name)) continue
      const isKept = kept.some(each => each.name === name && (each.matcher === undefined || each.matcher.test(value)))
      if (!isKept) labels.delete(name)
    }
    return line
  }
}
