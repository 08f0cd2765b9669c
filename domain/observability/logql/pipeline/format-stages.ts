import type { LabelFormat, LabelRenaming, LabelSelection, Template } from '../language/log-expression.ts'
import { errorDetailsLabel, errorLabel, type EntryLabels } from './entry-labels.ts'
import { valueOf } from './label-filter.ts'
import { preserveErrorLabel, type StageFunction } from './stage-function.ts'

/** Fills a template with labels; absent labels are empty. */
const filled = (template: Template, labels: EntryLabels): string =>
  template.map(part => ('text' in part ? part.text : valueOf(labels, part.label))).join('')

/** Replaces the line. */
export const lineFormat =
  (template: Template): StageFunction =>
  (_, labels) =>
    filled(template, labels)

/** Sets labels in turn; all templates see the labels as they are before the first template. */
export function labelFormat({ formats }: LabelFormat): StageFunction {
  return (line, labels) => {
    let texts: Map<string, string> | undefined
    for (const format of formats) {
      if ('template' in format) {
        texts ??= filledTexts(formats, labels)
        labels.set(format.name, texts.get(format.name) ?? '')
      } else rename(format, labels)
    }
    return line
  }
}

function filledTexts(formats: LabelFormat['formats'], labels: EntryLabels): Map<string, string> {
  const texts = new Map<string, string>()
  for (const format of formats) if ('template' in format) texts.set(format.name, filled(format.template, labels))
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
