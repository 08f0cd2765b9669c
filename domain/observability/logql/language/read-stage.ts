import type { SyntaxNode } from '@lezer/common'
import { quoted } from '../../promql/language/faults.ts'
import { childrenOf } from '../../promql/language/syntax-tree.ts'
import { jsonPathOf } from './json-path.ts'
import type {
  LabelFormat,
  LabelSelection,
  LineFilter,
  LineFilterOperator,
  LogfmtParser,
  RegexpParser,
  Stage,
  Template,
} from './log-expression.ts'
import { listed } from './lists.ts'
import type { QueryText } from './query-text.ts'
import { readLabelCondition } from './read-label-condition.ts'
import { isFault, patternPartsOf, templateOf, type TextFault } from './templates.ts'

/** Makes the stages of a node of the grammar: chained line filters are one node. */
export function readStage(node: SyntaxNode, text: QueryText): readonly Stage[] {
  const [first, second] = childrenOf(node)
  const stage = first?.name === 'Pipe' ? second : first
  if (stage === undefined) throw text.faults.syntax(node.from, 'a stage is missing')
  switch (stage.name) {
    case 'LineFilters':
      return listed(stage, 'LineFilter').map(filter => readLineFilter(filter, text))
    case 'LabelParser':
      return [readParser(stage, text)]
    case 'LogfmtParser':
      return [readLogfmt(stage, text)]
    case 'LogfmtExpressionParser': {
      const extractions = readExtractions(stage, text).map(({ label, node: at, expression }) => {
        if (!/^[^\s="]+$/.test(expression))
          throw text.faults.syntax(at.from, `${quoted(expression)} is no key of logfmt`)
        return { label, key: expression }
      })
      return [{ ...readLogfmt(stage, text), extractions }]
    }
    case 'JsonExpressionParser': {
      const extractions = readExtractions(stage, text).map(({ label, node: at, expression }) => {
        const path = jsonPathOf(expression)
        if (path === undefined) throw text.faults.syntax(at.from, `${quoted(expression)} is no path in JSON`)
        return { label, path }
      })
      return [{ kind: 'json', extractions }]
    }
    case 'LabelFilter':
      return [{ kind: 'label-filter', condition: readLabelCondition(stage, text) }]
    case 'LineFormatExpr':
      return [{ kind: 'line_format', template: readTemplate(text.child(stage, 'String'), text) }]
    case 'LabelFormatExpr':
      return [readLabelFormat(stage, text)]
    case 'DropLabelsExpr':
      return [readLabelSelection(stage, 'drop', text)]
    case 'KeepLabelsExpr':
      return [readLabelSelection(stage, 'keep', text)]
    case 'DecolorizeExpr':
      throw text.faults.unsupported(stage.from, 'decolorize')
    default:
      throw text.faults.unsupported(stage.from, stage.name)
  }
}

const lineOperators: Readonly<Record<string, LineFilterOperator>> = {
  PipeExact: '|=',
  Neq: '!=',
  PipeMatch: '|~',
  Nre: '!~',
}

function readLineFilter(node: SyntaxNode, text: QueryText): LineFilter {
  const operatorNode = text.child(node, 'Filter')
  const operator = lineOperators[operatorNode.firstChild?.name ?? '']
  if (operator === undefined) throw text.faults.unsupported(operatorNode.from, 'pattern line filters')
  const alternatives: LineFilter['alternatives'][number][] = []
  for (const string of stringsOf(node, text)) {
    const isPattern = operator === '|~' || operator === '!~'
    alternatives.push({ text: text.string(string), ...(isPattern && { pattern: text.pattern(string) }) })
  }
  return { kind: 'line-filter', operator, alternatives }
}

/** Returns the nodes of the strings of a line filter and of its alternatives after `or`. */
function stringsOf(node: SyntaxNode, text: QueryText): SyntaxNode[] {
  return childrenOf(node).flatMap(child => {
    if (child.name === 'FilterOp') throw text.faults.unsupported(child.from, 'ip')
    if (child.name === 'String') return [child]
    return child.name === 'OrFilter' || child.name === 'LineFilter' ? stringsOf(child, text) : []
  })
}

function readParser(node: SyntaxNode, text: QueryText): Stage {
  const [name] = childrenOf(node)
  switch (name?.name) {
    case 'Json':
      return { kind: 'json' }
    case 'Regexp':
      return readRegexp(text.child(node, 'String'), text)
    case 'Pattern': {
      const string = text.child(node, 'String')
      return { kind: 'pattern', parts: withoutFault(patternPartsOf(text.string(string)), string, text) }
    }
    default:
      throw text.faults.unsupported(node.from, 'unpack')
  }
}

function readRegexp(node: SyntaxNode, text: QueryText): RegexpParser {
  const pattern = text.pattern(node)
  const names = Object.keys(pattern.namedGroups())
  if (names.length === 0) throw text.faults.syntax(node.from, 'the pattern needs a group with a name')
  return { kind: 'regexp', pattern, names }
}

function readLogfmt(node: SyntaxNode, text: QueryText): LogfmtParser {
  const flags = new Set(listed(node.getChild('LogfmtParserFlags'), 'ParserFlag').map(flag => text.of(flag)))
  return { kind: 'logfmt', strict: flags.has('--strict'), keepEmpty: flags.has('--keep-empty') }
}

/** Returns the labels that a parser makes, and the expressions of their values. */
function readExtractions(
  node: SyntaxNode,
  text: QueryText,
): readonly { readonly label: string; readonly node: SyntaxNode; readonly expression: string }[] {
  return listed(node.getChild('LabelExtractionExpressionList'), 'LabelExtractionExpression').map(each => {
    const label = text.nameIn(each)
    const string = each.getChild('String')
    return { label, node: string ?? each, expression: string === null ? label : text.string(string) }
  })
}

function readTemplate(node: SyntaxNode, text: QueryText): Template {
  return withoutFault(templateOf(text.string(node)), node, text)
}

function withoutFault<T extends object>(result: T | TextFault, node: SyntaxNode, text: QueryText): T {
  if (!isFault(result)) return result
  if (result.isUnsupported === true) throw text.faults.unsupported(node.from, result.fault)
  throw text.faults.syntax(node.from, result.fault)
}

function readLabelFormat(node: SyntaxNode, text: QueryText): LabelFormat {
  const names = new Set<string>()
  const formats = listed(node.getChild('LabelsFormat'), 'LabelFormatMatcher').map(each => {
    const [name, , value] = childrenOf(each)
    if (name === undefined || value === undefined) throw text.faults.syntax(each.from, 'a label needs a format')
    const label = text.of(name)
    if (label === '__error__') throw text.faults.syntax(name.from, `the label '__error__' cannot be formatted`)
    if (names.has(label)) throw text.faults.syntax(name.from, `the label ${quoted(label)} is formatted twice`)
    names.add(label)
    if (value.name === 'Identifier') return { name: label, from: text.of(value) }
    return { name: label, template: readTemplate(value, text) }
  })
  return { kind: 'label_format', formats }
}

function readLabelSelection(node: SyntaxNode, kind: 'drop' | 'keep', text: QueryText): LabelSelection {
  const [list, item] = kind === 'drop' ? ['DropLabels', 'DropLabel'] : ['KeepLabels', 'KeepLabel']
  const labels = listed(node.getChild(list), item).map(each => {
    const condition = each.getChild('Matcher')
    if (condition === null) return { name: text.nameIn(each) }
    const matcher = text.matcher(condition)
    return { name: matcher.name, matcher }
  })
  return { kind, labels }
}
