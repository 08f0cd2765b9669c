import type { JsonParser, JsonPath } from '../language/log-expression.ts'
import type { EntryLabels } from './entry-labels.ts'
import { JsonFault, JsonText, unescaped, type JsonKind } from './json-text.ts'
import { labelNameOf } from './label-names.ts'
import { failParsing, makeLabel, type StageFunction } from './stage-function.ts'
import type { WantedLabels } from './wanted-labels.ts'

/** The name of the error of lines that are no JSON. */
const jsonError = 'JSONParserErr'

/** The deepest nesting of members that make labels. */
const maxDepth = 64

/**
 * Makes labels of the members of a JSON line: names of nested members are joined by `_`, arrays and nulls make no labels.
 * Labels that were made before a malformed part stay.
 */
export function jsonParser(wanted: WantedLabels): StageFunction {
  return (line, labels) => {
    const isComplete = (): boolean => wanted.areComplete(name => labels.isExtracted(name))
    if (isComplete()) return line
    try {
      readMembers(new JsonText(line), [], labels, wanted, isComplete)
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error
      failParsing(labels, wanted, jsonError, error.message)
    }
    return line
  }
}

/** Returns whether the members after these are wanted too. */
function readMembers(
  text: JsonText,
  prefix: readonly string[],
  labels: EntryLabels,
  wanted: WantedLabels,
  isComplete: () => boolean,
): boolean {
  let goesOn = true
  text.members(name => {
    const { kind, raw } = text
    if (kind === 'object') {
      const names = [...prefix, name]
      if (!wanted.hasPrefix(joined(names))) return true
      if (names.length > maxDepth) throw new JsonFault(`objects are nested more than ${maxDepth} deep`)
      goesOn = readMembers(new JsonText(raw), names, labels, wanted, isComplete)
      return goesOn
    }
    if (kind === 'array' || kind === 'null') return true
    makeLabel(labels, wanted, prefix.length === 0 ? labelNameOf(name) : joined([...prefix, name]), valueOf(kind, raw))
    goesOn = !isComplete()
    return goesOn
  })
  return goesOn
}

/** Joins the names of nested members; names of white space alone do not count. */
function joined(names: readonly string[]): string {
  const parts = names.filter(name => name.trim() !== '')
  return parts
    .map((part, index) => (index === 0 ? labelNameOf(part) : labelNameOf(part).replace(/^_(?=\d)/, '')))
    .join('_')
}

/** Returns the text of a value; a malformed escape empties a string, and replacement characters become spaces. */
const valueOf = (kind: JsonKind, raw: string): string =>
  kind === 'string' ? (unescaped(raw) ?? '').replaceAll('\ufffd', ' ') : raw

/** Makes one label of each value at a path. A label without a value is empty, unless the entry has it already. */
export function jsonExtraction(
  extractions: NonNullable<JsonParser['extractions']>,
  wanted: WantedLabels,
): StageFunction {
  return (line, labels) => {
    if (line === '' || wanted.areComplete(name => labels.isExtracted(name))) return line
    if (!/^["{[]/.test(line)) {
      failParsing(labels, wanted, jsonError, 'the line does not begin with a string, an object or an array')
      return line
    }
    for (const { label, path } of extractions) {
      const found = valueAt(line, path)
      if (found !== undefined) labels.set(labels.nameFor(label), found)
      else if (labels.get(label) === undefined) labels.set(label, '')
    }
    return line
  }
}

/**
 * Returns the text of the value at a path, JSON for objects and arrays; undefined if the path leads nowhere, or to a part
 * that is malformed.
 */
function valueAt(line: string, path: JsonPath): string | undefined {
  try {
    return readValueAt(line, path)
  } catch (error) {
    if (error instanceof JsonFault) return undefined
    throw error
  }
}

function readValueAt(line: string, path: JsonPath): string | undefined {
  let text = line
  let kind: JsonKind = 'null'
  for (const step of path) {
    const reader = new JsonText(text)
    let isFound = false
    const visit = (at: number | string): boolean => {
      isFound = at === step
      return !isFound
    }
    if (typeof step === 'string' && /^\s*\{/.test(text)) reader.members(visit)
    else if (typeof step === 'number' && /^\s*\[/.test(text)) reader.elements(visit)
    if (!isFound) return undefined
    text = reader.raw
    kind = reader.kind
  }
  if (kind === 'null') return ''
  return kind === 'array' || kind === 'string' ? valueOf('string', text) : text
}
