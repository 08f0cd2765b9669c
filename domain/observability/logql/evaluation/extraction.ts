import { LabelSet } from '../../promql/evaluation/label-set.ts'
import { executionFailed } from '../../promql/evaluation/vectors.ts'
import type { LabelCondition, Stage } from '../language/log-expression.ts'
import type { Grouped, RangeAggregation, Unwrap } from '../language/metric-expression.ts'
import { errorLabel, type EntryLabels } from '../pipeline/entry-labels.ts'
import { labelTest } from '../pipeline/label-filter.ts'
import { bytesOf, durationOf, numberOf } from '../language/quantities.ts'
import { preserveErrorLabel } from '../pipeline/stage-function.ts'
import { WantedLabels } from '../pipeline/wanted-labels.ts'

/** The name of the error of entries whose unwrapped label is no number. */
const extractionError = 'SampleExtractionErr'

/** Returns the labels that a range aggregation needs of parsers, with the grouping that holds for its series. */
export function wantedLabels(
  { log, unwrap, operation }: RangeAggregation,
  grouping: Grouped | undefined,
): WantedLabels {
  const filters = unwrap?.filters.flatMap(namesIn) ?? []
  const names = [...log.stages.flatMap(namesOf), ...filters, ...(unwrap === undefined ? [] : [unwrap.label])]
  const { without = false, labels = [] } = grouping ?? {}
  const isSingle = operation === 'absent_over_time' || (grouping !== undefined && !without && labels.length === 0)
  if (!isSingle && (without || labels.length === 0)) return WantedLabels.all
  const needed = [...names, ...labels]
  // A label with the suffix of duplicates is made of a key without it.
  return new WantedLabels(new Set([...needed, ...needed.map(name => name.replace(/_extracted$/, ''))]))
}

function namesOf(stage: Stage): readonly string[] {
  switch (stage.kind) {
    case 'label-filter':
      return namesIn(stage.condition)
    case 'line_format':
      return stage.template.flatMap(part => ('label' in part ? [part.label] : []))
    case 'label_format':
      return stage.formats.flatMap(format =>
        'from' in format ? [format.from] : format.template.flatMap(part => ('label' in part ? [part.label] : [])),
      )
    default:
      return []
  }
}

function namesIn(condition: LabelCondition): readonly string[] {
  if (condition.kind === 'matcher') return [condition.matcher.name]
  return 'left' in condition ? [condition.left, condition.right].flatMap(namesIn) : [condition.name]
}

/** Returns the labels of the series of an entry. */
export type SeriesLabels = (labels: EntryLabels) => LabelSet

/**
 * Returns the labels of the series of entries: those of the grouping, or all labels but the unwrapped one. `fields` are
 * the members of entries that the query groups by further out.
 */
export function seriesLabels(
  { operation, unwrap }: RangeAggregation,
  grouping: Grouped | undefined,
  fields: readonly string[],
): SeriesLabels {
  const { labels: names, without } = operation === 'absent_over_time' ? byNoLabel : (grouping ?? byAllLabels)
  const dropped = new Set([...(without ? names : []), ...(unwrap === undefined ? [] : [unwrap.label])])
  const all = (labels: EntryLabels): LabelSet =>
    LabelSet.of({ ...valuesByName(labels, fields), ...labels.metadata(), ...labels.labels() })
  return labels => {
    // The labels of an entry with an error are not grouped, so that the error is seen.
    if (labels.error !== '') return all(labels)
    if (without) return dropped.size === 0 ? all(labels) : all(labels).without(dropped)
    return names.length === 0 ? LabelSet.empty : LabelSet.of(valuesByName(labels, names))
  }
}

const byNoLabel: Grouped = { without: false, labels: [] }
const byAllLabels: Grouped = { without: true, labels: [] }

const valuesByName = (labels: EntryLabels, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [name, labels.get(name) ?? '']))

/** Returns the value of the unwrapped label of an entry; undefined if the entry has none or a condition refuses it. */
export function unwrapValue({ label, conversion, filters }: Unwrap): (labels: EntryLabels) => number | undefined {
  const read = conversions[conversion]
  const tests = filters.map(labelTest)
  return labels => {
    const text = labels.get(label) ?? ''
    if (text === '') return undefined
    const value = read(text)
    if (value === undefined) labels.setError(extractionError, `the value of the label '${label}' is no ${conversion}`)
    return tests.every(test => test(labels)) ? (value ?? 0) : undefined
  }
}

const conversions: Readonly<Record<Unwrap['conversion'], (text: string) => number | undefined>> = {
  number: numberOf,
  bytes: bytesOf,
  duration: text => {
    const nanoseconds = durationOf(text)
    return nanoseconds === undefined ? undefined : nanoseconds / 1e9
  },
}

/** Throws QUERY_EXECUTION_FAILED if an entry has an error that the query has not asked for. */
export function requireNoError(labels: EntryLabels): void {
  const { error, errorDetails } = labels
  if (error === '' || labels.get(preserveErrorLabel) === 'true') return
  const advice = `a filter such as | ${errorLabel}="" leaves such entries out`
  const description = `a pipeline failed with ${error}${errorDetails === '' ? '' : ` (${errorDetails})`}: ${advice}`
  throw executionFailed('PIPELINE', description)
}
