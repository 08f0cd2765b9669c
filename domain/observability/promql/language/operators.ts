/** The binary operators, keyed by their names in the grammar. */
export const binaryOperators = {
  Pow: '^',
  Mul: '*',
  Div: '/',
  Mod: '%',
  Atan2: 'atan2',
  Add: '+',
  Sub: '-',
  Eql: '==',
  Neq: '!=',
  Gtr: '>',
  Lss: '<',
  Gte: '>=',
  Lte: '<=',
  And: 'and',
  Or: 'or',
  Unless: 'unless',
} as const

export type BinaryOperator = (typeof binaryOperators)[keyof typeof binaryOperators]
export type SetOperator = 'and' | 'or' | 'unless'
export type Comparison = '==' | '!=' | '>' | '<' | '>=' | '<='

export const isSetOperator = (operator: BinaryOperator): operator is SetOperator =>
  operator === 'and' || operator === 'or' || operator === 'unless'

export const isComparison = (operator: BinaryOperator): operator is Comparison => /^[=!<>]/.test(operator)

/** The aggregation operators, keyed by their names in the grammar, with the type of their parameter. */
export const aggregationOperators = {
  Sum: { name: 'sum' },
  Avg: { name: 'avg' },
  Min: { name: 'min' },
  Max: { name: 'max' },
  Count: { name: 'count' },
  Group: { name: 'group' },
  Stddev: { name: 'stddev' },
  Stdvar: { name: 'stdvar' },
  Topk: { name: 'topk', parameter: 'scalar' },
  Bottomk: { name: 'bottomk', parameter: 'scalar' },
  Quantile: { name: 'quantile', parameter: 'scalar' },
  CountValues: { name: 'count_values', parameter: 'string' },
} as const

export type AggregationOperator = (typeof aggregationOperators)[keyof typeof aggregationOperators]['name']
