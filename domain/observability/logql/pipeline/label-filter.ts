import type { Comparison } from '../../promql/language/operators.ts'
import type { LabelCondition, QuantityFilter } from '../language/log-expression.ts'
import { errorDetailsLabel, errorLabel, type EntryLabels } from './entry-labels.ts'
import { bytesOf, durationOf, numberOf } from '../language/quantities.ts'
import type { StageFunction } from './stage-function.ts'

/** The name of the error of labels whose value is no quantity of the kind that a filter compares. */
const filterError = 'LabelFilterErr'

type LabelTest = (labels: EntryLabels) => boolean

/** Refuses entries whose labels do not fit a condition. */
export function labelFilter(condition: LabelCondition): StageFunction {
  const test = labelTest(condition)
  return (line, labels) => (test(labels) ? line : undefined)
}

/** Returns the test of a condition. It may set the error of the entry. */
export function labelTest(condition: LabelCondition): LabelTest {
  switch (condition.kind) {
    case 'matcher': {
      const { matcher } = condition
      return labels => matcher.test(valueOf(labels, matcher.name))
    }
    case 'and': {
      const [left, right] = [labelTest(condition.left), labelTest(condition.right)]
      // Both sides are tested, as the right one may set an error.
      return labels => [left(labels), right(labels)].every(Boolean)
    }
    case 'or': {
      const [left, right] = [labelTest(condition.left), labelTest(condition.right)]
      return labels => left(labels) || right(labels)
    }
    case 'number':
    case 'duration':
    case 'bytes':
      return quantityTest(condition)
  }
}

/** Returns the value of a label for matchers; the empty string if it is absent. */
export function valueOf(labels: EntryLabels, name: string): string {
  if (name === errorLabel) return labels.error
  if (name === errorDetailsLabel) return labels.errorDetails
  return labels.get(name) ?? ''
}

const quantities: Readonly<Record<QuantityFilter['kind'], (text: string) => number | undefined>> = {
  number: numberOf,
  duration: durationOf,
  bytes: bytesOf,
}

const comparisons: Readonly<Record<Comparison, (value: number, other: number) => boolean>> = {
  '==': (value, other) => value === other,
  '!=': (value, other) => value !== other,
  '>': (value, other) => value > other,
  '>=': (value, other) => value >= other,
  '<': (value, other) => value < other,
  '<=': (value, other) => value <= other,
}

/** An entry without the label is refused; one whose value is no quantity passes with an error. */
function quantityTest({ kind, name, operator, value }: QuantityFilter): LabelTest {
  const [read, compare] = [quantities[kind], comparisons[operator]]
  return labels => {
    const text = labels.get(name)
    if (text === undefined) return false
    const quantity = read(text)
    if (quantity !== undefined) return compare(quantity, value)
    if (labels.error === '') labels.setError(filterError, `the value of the label '${name}' is no ${kindNames[kind]}`)
    return true
  }
}

const kindNames: Readonly<Record<QuantityFilter['kind'], string>> = {
  number: 'number',
  duration: 'duration',
  bytes: 'number of bytes',
}
