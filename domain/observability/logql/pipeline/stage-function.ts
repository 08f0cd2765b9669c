import type { EntryLabels } from './entry-labels.ts'
import type { WantedLabels } from './wanted-labels.ts'

/**
 * A stage of a pipeline: takes the line of an entry, may change its labels, and returns the line for the next stage;
 * undefined refuses the entry.
 */
export type StageFunction = (line: string, labels: EntryLabels) => string | undefined

/** Makes a label of a key and a value that a parser has read, unless it is not wanted or made already. */
export function makeLabel(labels: EntryLabels, wanted: WantedLabels, key: string, value: string): void {
  if (key === '') return
  const name = labels.nameFor(key)
  if (wanted.has(name) && !labels.isExtracted(name)) labels.set(name, value)
}

/** Stores the error of a parser, and whether the query has asked for it. */
export function failParsing(labels: EntryLabels, wanted: WantedLabels, error: string, details: string): void {
  labels.setError(error, details)
  if (wanted.keepsErrors) labels.set(preserveErrorLabel, 'true')
}

/** The label of entries whose error the query has asked for. */
export const preserveErrorLabel = '__preserve_error__'
