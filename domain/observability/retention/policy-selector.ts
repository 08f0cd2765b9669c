import { createHash } from 'node:crypto'
import { selectorEmpty } from '../../../output/observability/errors.ts'
import type { SignalInput } from '../../../output/observability/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { ExpressionReader } from '../promql/language/read-expression.ts'
import { nameLabel } from '../promql/language/read-selector.ts'
import { syntaxTree } from '../promql/language/syntax-tree.ts'
import { QueryFaults } from '../promql/language/faults.ts'
import type { Matcher } from '../promql/matcher.ts'

/** The errors of the selector of a retention policy: all faults of the text are faults of its syntax. */
class SelectorFaults extends QueryFaults {
  constructor() {
    super('selector')
  }

  override emptySelector() {
    const message = 'must have a matcher that the empty text does not pass; only the default of a signal selects all'
    return faultAt(selectorEmpty, 'selector', message)
  }

  override type(position: number) {
    return this.syntax(position, 'label matchers such as {service_name="api"} are expected')
  }

  override nesting() {
    return this.syntax(0, 'the text is nested too deeply')
  }
}

/** The only label that the selector of a policy for traces can name: the service of their root span. */
const rootService = 'service_name'

/**
 * Returns the matchers of the selector of a retention policy for a signal. Throws SELECTOR_EMPTY, QUERY_SYNTAX_INVALID,
 * and QUERY_FEATURE_UNSUPPORTED for the name of a metric in a policy for logs, and for a label that traces do not have.
 */
export function selectorMatchers(text: string, signal: SignalInput): readonly Matcher[] {
  const faults = new SelectorFaults()
  if (text.trim() === '') throw faults.emptySelector()
  const expression = new ExpressionReader(text, faults).read(syntaxTree(text, faults))
  if (expression.kind !== 'selector' || expression.offset !== undefined || expression.at !== undefined)
    throw faults.type(0)
  const { matchers } = expression
  const unknown = matchers.find(({ name }) => !isKnown(name, signal))
  if (unknown) throw faults.unsupported(0, unknown.name)
  return matchers
}

/** Returns whether the series, streams or traces of a signal may have a label. */
function isKnown(label: string, signal: SignalInput): boolean {
  if (signal === 'OBSERVABILITY_SIGNAL_METRICS') return true
  return signal === 'OBSERVABILITY_SIGNAL_LOGS' ? label !== nameLabel : label === rootService
}

/** Returns a text that selectors with the same matchers in any order have, and no others: a hash in hex. */
export function selectorKey(matchers: readonly Matcher[]): string {
  const sorted = matchers.map(({ name, operator, value }) => JSON.stringify([name, operator, value])).toSorted()
  return createHash('sha256')
    .update([...new Set(sorted)].join())
    .digest('hex')
}
