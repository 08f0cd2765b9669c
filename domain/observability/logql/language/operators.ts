/** The functions of windows, keyed by their names in the grammar, with the values of entries that they take. */
export const rangeOperations = {
  CountOverTime: { name: 'count_over_time', of: 'entries' },
  Rate: { name: 'rate', of: 'both' },
  BytesOverTime: { name: 'bytes_over_time', of: 'entries' },
  BytesRate: { name: 'bytes_rate', of: 'entries' },
  AbsentOverTime: { name: 'absent_over_time', of: 'both' },
  SumOverTime: { name: 'sum_over_time', of: 'labels' },
  AvgOverTime: { name: 'avg_over_time', of: 'labels', grouped: true },
  MinOverTime: { name: 'min_over_time', of: 'labels', grouped: true },
  MaxOverTime: { name: 'max_over_time', of: 'labels', grouped: true },
  FirstOverTime: { name: 'first_over_time', of: 'labels', grouped: true },
  LastOverTime: { name: 'last_over_time', of: 'labels', grouped: true },
  StddevOverTime: { name: 'stddev_over_time', of: 'labels', grouped: true },
  StdvarOverTime: { name: 'stdvar_over_time', of: 'labels', grouped: true },
  QuantileOverTime: { name: 'quantile_over_time', of: 'labels', grouped: true },
} as const

export type RangeOperation = (typeof rangeOperations)[keyof typeof rangeOperations]['name']

/** The aggregation operators, keyed by their names in the grammar. */
export const vectorOperators = {
  Sum: 'sum',
  Avg: 'avg',
  Min: 'min',
  Max: 'max',
  Count: 'count',
  Stddev: 'stddev',
  Stdvar: 'stdvar',
  Topk: 'topk',
  Bottomk: 'bottomk',
} as const

export type VectorOperator = (typeof vectorOperators)[keyof typeof vectorOperators]

/** The conversions of `unwrap`, keyed by their names in the grammar. */
export const unitConversions = {
  DurationConv: 'duration',
  DurationSecondsConv: 'duration',
  BytesConv: 'bytes',
} as const
