import type { SyntaxNode } from '@lezer/common'
import { selectorEmpty } from '../../../../output/observability/errors.ts'
import { listed } from './lists.ts'
import type { LogExpression } from './log-expression.ts'
import type { QueryText } from './query-text.ts'
import { readStage } from './read-stage.ts'

/** Returns the error of a selector that selects streams by no label. */
export function emptySelector(field: string): Error {
  const description = 'a selector needs a matcher that the empty string does not fit'
  return selectorEmpty(description, { badRequest: [{ field, description }] })
}

/** Reads a log query from the nodes of its selector and of its pipelines. */
export function readLogExpression(
  selector: SyntaxNode,
  pipelines: readonly SyntaxNode[],
  text: QueryText,
  field: string,
): LogExpression {
  const matchers = listed(selector.getChild('Matchers'), 'Matcher').map(node => text.matcher(node))
  if (matchers.every(each => each.test(''))) throw emptySelector(field)
  const nodes = pipelines.flatMap(pipeline => listed(pipeline, 'PipelineStage'))
  return { kind: 'log', position: selector.from, matchers, stages: nodes.flatMap(node => readStage(node, text)) }
}
