import type { Aggregation, BinaryExpression, Call, Expression, ValueType } from './expression.ts'
import { quoted, type QueryFaults } from './faults.ts'
import { signatures } from './function-signatures.ts'
import { isComparison, isSetOperator } from './operators.ts'
import { anchoredExpression } from '../anchored-pattern.ts'

/** Returns the type of an expression whose parts have the types that they need. */
export function typeOf(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'selector':
    case 'aggregation':
      return 'vector'
    case 'range':
    case 'subquery':
      return 'matrix'
    case 'signed':
      return typeOf(expression.expression)
    case 'binary':
      return typeOf(expression.left) === 'scalar' && typeOf(expression.right) === 'scalar' ? 'scalar' : 'vector'
    case 'call':
      return signatures.get(expression.name)?.result ?? 'vector'
  }
}

/** Checks the types of all parts of an expression and returns its type; throws the error of the first fault. */
export function checkTypes(expression: Expression, faults: QueryFaults): ValueType {
  const check = (part: Expression): ValueType => checkTypes(part, faults)
  switch (expression.kind) {
    case 'aggregation':
      return checkAggregation(expression, check, faults)
    case 'binary':
      return checkBinary(expression, check, faults)
    case 'call':
      return checkCall(expression, check, faults)
    case 'signed':
      return expectNumeric(expression.expression, check(expression.expression), 'a sign', faults)
    case 'subquery':
      expectType(expression.expression, check(expression.expression), 'vector', 'a subquery', faults)
      return 'matrix'
    case 'number':
    case 'string':
    case 'selector':
    case 'range':
      return typeOf(expression)
  }
}

const typeNames: Readonly<Record<ValueType, string>> = {
  scalar: 'a scalar',
  vector: 'an instant vector',
  matrix: 'a range vector',
  string: 'a string',
}

function expectType(part: Expression, type: ValueType, expected: ValueType, user: string, faults: QueryFaults): void {
  if (type === expected) return
  throw faults.type(part.position, `${user} takes ${typeNames[expected]}, not ${typeNames[type]}`)
}

function expectNumeric(part: Expression, type: ValueType, user: string, faults: QueryFaults): ValueType {
  if (type === 'scalar' || type === 'vector') return type
  throw faults.type(part.position, `${user} takes a scalar or an instant vector, not ${typeNames[type]}`)
}

type Check = (part: Expression) => ValueType

function checkAggregation(aggregation: Aggregation, check: Check, faults: QueryFaults): ValueType {
  const { operator, parameter, expression } = aggregation
  expectType(expression, check(expression), 'vector', operator, faults)
  if (parameter === undefined) return 'vector'
  const isText = operator === 'count_values'
  expectType(parameter, check(parameter), isText ? 'string' : 'scalar', `the parameter of ${operator}`, faults)
  if (parameter.kind === 'string') expectLabel(parameter, faults)
  return 'vector'
}

function expectLabel(part: Expression, faults: QueryFaults): void {
  if (part.kind === 'string' && part.value !== '') return
  throw faults.type(part.position, 'the name of a label must not be empty')
}

function checkBinary(binary: BinaryExpression, check: Check, faults: QueryFaults): ValueType {
  const { operator, left, right, bool, matching, position } = binary
  const types = [left, right].map(side => expectNumeric(side, check(side), `the operator ${operator}`, faults))
  const fault = (text: string) => faults.type(position, text)
  if (bool && !isComparison(operator)) throw fault(`bool needs a comparison, not ${operator}`)
  if (types.every(type => type === 'scalar')) {
    if (isComparison(operator) && !bool) throw fault('a comparison of scalars needs bool')
  }
  if (matching.on && matching.labels.some(label => matching.include.includes(label))) {
    throw fault('a label is in the lists of on and of the group modifier')
  }
  const areVectors = types.every(type => type === 'vector')
  if (isSetOperator(operator) && !areVectors) throw fault(`${operator} takes instant vectors`)
  if (isSetOperator(operator) && matching.many !== undefined) throw fault(`${operator} takes no group modifier`)
  if (!areVectors && matching.labels.length > 0) throw fault('vector matching needs instant vectors on both sides')
  return types.every(type => type === 'scalar') ? 'scalar' : 'vector'
}

function checkCall(call: Call, check: Check, faults: QueryFaults): ValueType {
  const { name, position } = call
  const signature = signatures.get(name)
  if (signature === undefined) throw faults.unsupported(position, name)
  const { least, most } = signature
  const count = call.arguments.length
  if (count < least || count > most) {
    const expected = least === most ? String(least) : most === Infinity ? `at least ${least}` : `${least} to ${most}`
    throw faults.type(position, `${name} takes ${expected} arguments, not ${count}`)
  }
  for (const [index, argument] of call.arguments.entries()) {
    const expected = signature.arguments[index] ?? signature.arguments.at(-1) ?? 'vector'
    expectType(argument, check(argument), expected, name, faults)
  }
  if (name === 'label_replace') checkReplacement(call, faults)
  if (name === 'label_join') {
    for (const label of [call.arguments[1], ...call.arguments.slice(3)]) if (label) expectLabel(label, faults)
  }
  return signature.result
}

function checkReplacement({ arguments: [, target, , , pattern] }: Call, faults: QueryFaults): void {
  if (target !== undefined) expectLabel(target, faults)
  if (pattern?.kind !== 'string') return
  faults.admitPattern(pattern.value)
  try {
    anchoredExpression(pattern.value)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw faults.type(pattern.position, `${quoted(pattern.value)} is no pattern of RE2`)
  }
}
