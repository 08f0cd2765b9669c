import type { Random } from '../../../../areas/random.ts'
import { firstTime, timeSpan } from './generated-series.ts'

/** What the generator of queries leaves out. */
export interface Dialect {
  /** Whether only forms occur that Prometheus 2.42 and 3 read and evaluate alike. */
  readonly common: boolean
}

/** Selectors; those of `odd` have values whose treatment has changed between releases of Prometheus. */
const selectors = [
  'requests_total',
  'requests_total{code="200"}',
  'requests_total{job=~"a.*",instance!="1"}',
  'requests_total{code!~"5.."}',
  'temperature',
  'temperature{job="api"}',
  'up',
  'build_info',
  'sparse_total',
  'lonely',
  'mixed',
  'mixed{zone=""}',
  'latency_bucket',
  'latency_count',
  'latency_bucket{le=~"0.5|1"}',
  'absent_metric{a="b",c=~"d"}',
  '{__name__=~"up|build_info"}',
  '{__name__="temperature",job!=""}',
]
const windowed = ['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'changes', 'resets', 'absent_over_time']
const overTime = ['avg', 'min', 'max', 'sum', 'count', 'last', 'present', 'stddev', 'stdvar'].map(
  of => `${of}_over_time`,
)
const ofElements = ['abs', 'ceil', 'floor', 'sqrt', 'exp', 'ln', 'log2', 'log10', 'sgn', 'deg', 'rad']
const trigonometric = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh']
const ofDates = ['minute', 'hour', 'day_of_week', 'day_of_month', 'day_of_year', 'days_in_month', 'month', 'year']
const aggregations = ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar']
const labels = ['job', 'instance', 'code', 'le', 'version', 'zone']
const plainNumbers = ['0', '1', '2', '-3', '0.5', '100', '1e3', '0x1f', '7.25']
const allNumbers = [...plainNumbers, 'NaN', 'Inf', '-Inf']
const ranges = ['30s', '1m', '5m', '7m30s', '15m', '1h', '45s', '2m']

/** Vectors whose values are exact, so that their texts are those of every engine. */
const exact = ['up', 'requests_total', 'build_info', 'latency_bucket', 'mixed']

/** Generates queries in PromQL of all types that the evaluator supports. */
export class QueryGenerator {
  readonly #random: Random
  readonly #dialect: Dialect

  constructor(random: Random, dialect: Dialect) {
    this.#random = random
    this.#dialect = dialect
  }

  query(): string {
    const { percent } = this.#random
    if (percent(5)) return this.scalar(3)
    if (percent(5)) return `${this.#random.oneOf(['sort', 'sort_desc'])}(${this.vector(2)})`
    if (percent(4)) return this.#top()
    return this.vector(1 + this.#random.below(4))
  }

  vector(depth: number): string {
    const { below, oneOf } = this.#random
    if (depth <= 0) return `${this.#selector()}${this.#modifiers()}`
    const next = depth - 1
    switch (below(16)) {
      case 0:
      case 1:
        return `${oneOf(windowed)}(${this.matrix(next)})`
      case 2:
        return `${oneOf(overTime)}(${this.matrix(next)})`
      case 3:
        if (this.#dialect.common) return `quantile_over_time(${oneOf(['0', '0.5', '0.9'])}, ${this.matrix(next)})`
        return oneOf([
          `quantile_over_time(${this.scalar(0)}, ${this.matrix(next)})`,
          `predict_linear(${this.matrix(next)}, ${oneOf(['60', '3600', '-600'])})`,
          `first_over_time(${this.matrix(next)})`,
        ])
      case 4:
      case 5:
        return this.#aggregation(next)
      case 6:
        return oneOf([
          `${oneOf(ofElements)}(${this.vector(next)})`,
          `${oneOf(trigonometric)}(${this.#selector()} / 1000)`,
          `${oneOf(ofDates)}(${oneOf(['', `abs(${oneOf(['up', 'lonely', 'requests_total'])}) * 86400`])})`,
        ])
      case 7:
        return oneOf([
          `clamp(${this.vector(next)}, ${this.#number()}, ${this.#number()})`,
          `clamp_min(${this.vector(next)}, ${this.#number()})`,
          `clamp_max(${this.vector(next)}, ${this.scalar(next)})`,
          `round(${this.vector(next)})`,
          `round(${this.vector(next)}, 0.25)`,
          `-${this.vector(0)}`,
          `+(${this.vector(next)})`,
        ])
      case 8:
        return oneOf([
          `histogram_quantile(${oneOf(['0.5', '0.9', '0', '1', '-1', '2'])}, ${this.#buckets(next)})`,
          `(timestamp(${oneOf([this.#selector(), this.vector(next)])}) - ${firstTime / 1000})`,
          `absent(${this.vector(oneOf([0, next]))})`,
          `vector(${this.scalar(next)})`,
        ])
      case 9:
        return this.#labels(next)
      case 10:
        return `${this.vector(next)} ${this.#operator()} ${this.#parenthesised(this.scalar(next))}`
      case 11:
        return `${this.#parenthesised(this.scalar(next))} ${this.#operator()} ${this.#parenthesised(this.vector(next))}`
      case 12:
      case 13:
        return this.#matched(next)
      case 14:
        return `${this.#parenthesised(this.vector(next))} ${oneOf(['and', 'or', 'unless'])}${oneOf(['', ` ${this.#on()}`])} ${this.#parenthesised(this.vector(next))}`
      default:
        return `(${this.vector(next)})`
    }
  }

  scalar(depth: number): string {
    const { below, oneOf } = this.#random
    if (depth <= 0) return this.#number()
    switch (below(6)) {
      case 0:
        return `(time() - ${firstTime / 1000})`
      case 1:
        return `scalar(${this.vector(depth - 1)})`
      case 2:
        return `(${this.scalar(depth - 1)} ${oneOf(['+', '-', '*', '/', '%', '^'])} ${this.scalar(depth - 1)})`
      case 3:
        return `(${this.scalar(depth - 1)} ${oneOf(['==', '!=', '<', '<=', '>', '>='])} bool ${this.scalar(depth - 1)})`
      case 4:
        return oneOf(['pi()', '-pi()', '(1 + 2 * 3 ^ 2 ^ 2 - -4 / 3 % 5)'])
      default:
        return this.#number()
    }
  }

  matrix(depth: number): string {
    const { oneOf, percent } = this.#random
    const range = oneOf(ranges)
    if (depth <= 0 || percent(65)) return `${this.#selector()}[${range}]${this.#modifiers()}`
    const step = oneOf(['', '30s', '1m', '45s', '2m'])
    return `${this.#parenthesised(this.vector(depth - 1))}[${range}:${step}]${this.#modifiers()}`
  }

  #selector(): string {
    return this.#random.oneOf(this.#dialect.common ? selectors : [...selectors, 'odd'])
  }

  #number(): string {
    return this.#random.oneOf(this.#dialect.common ? plainNumbers : allNumbers)
  }

  #modifiers(): string {
    const { oneOf, percent, below } = this.#random
    const offset = percent(12) ? ` offset ${oneOf(['30s', '5m', '-2m', '17s'])}` : ''
    const seconds = firstTime / 1000 + below(timeSpan / 1000)
    // Times of @ in tenths keep off the times of samples too.
    const at = percent(7) ? ` @ ${oneOf([`${seconds}.7`, 'start()', 'end()'])}` : ''
    return percent(50) ? offset + at : at + offset
  }

  #operator(): string {
    const { oneOf } = this.#random
    const both = ['+', '-', '*', '/', '%', '^', '==', '!=', '<', '<=', '>', '>=', '> bool', '== bool']
    // The older release keeps the name of the metric after atan2.
    return oneOf(this.#dialect.common ? both : [...both, 'atan2'])
  }

  #on(): string {
    return `${this.#random.oneOf(['on', 'ignoring'])}(${this.#someLabels()})`
  }

  #someLabels(): string {
    return labels.filter(() => this.#random.percent(35)).join(', ')
  }

  #matched(depth: number): string {
    const { oneOf } = this.#random
    const [left, right] = [this.#parenthesised(this.vector(depth)), this.#parenthesised(this.vector(depth))]
    const typical = oneOf([
      'requests_total * on(job, instance) group_left(version) build_info',
      'build_info * on(job, instance) group_right(version) requests_total',
      'sum by (job, instance) (requests_total) / on(job, instance) up',
      'temperature > ignoring(version) build_info',
      'temperature - temperature offset 1m',
      'up == up',
    ])
    const group = oneOf(['', '', ' group_left', ' group_right', ' group_left(version)', ' group_right(zone, version)'])
    return oneOf([
      typical,
      `${left} ${this.#operator()} ${this.#on()}${group} ${right}`,
      `${left} ${this.#operator()} ${right}`,
    ])
  }

  #aggregation(depth: number): string {
    const { oneOf, percent } = this.#random
    const clause = percent(75) ? ` ${oneOf(['by', 'without'])} (${this.#someLabels()})` : ''
    const vector = this.vector(depth)
    return oneOf([
      `${oneOf(aggregations)}${clause} (${vector})`,
      `${oneOf(aggregations)} (${vector})${clause}`,
      `quantile${clause} (${oneOf(['0.5', '0.9', '0', '1', '0.25', '2'])}, ${vector})`,
      ...(this.#dialect.common ? [] : [`count_values${clause} ("value", ${oneOf(exact)}${this.#modifiers()})`]),
      this.#top(),
    ])
  }

  /** Selects elements whose values differ, since engines choose any of equal elements. */
  #top(): string {
    const { oneOf, below, percent } = this.#random
    const clause = percent(40) ? ` ${oneOf(['by', 'without'])} (${this.#someLabels()})` : ''
    const vector = oneOf(['temperature', 'deriv(temperature[5m])', '-temperature', 'max_over_time(temperature[90s])'])
    return `${oneOf(['topk', 'bottomk'])}${clause} (${oneOf([String(below(6)), '2.9', '-1'])}, ${vector})`
  }

  #buckets(depth: number): string {
    const { oneOf } = this.#random
    return oneOf([
      'latency_bucket',
      'rate(latency_bucket[5m])',
      'sum by (le) (rate(latency_bucket[5m]))',
      'latency_bucket{le!="+Inf"}',
      this.vector(depth),
    ])
  }

  #labels(depth: number): string {
    const vector = this.vector(depth)
    return this.#random.oneOf([
      `label_replace(${vector}, "target", "$1-\${1}$$", "instance", "(.)")`,
      `label_replace(${vector}, "job", "x", "instance", "[01]")`,
      `label_replace(${vector}, "instance", "", "instance", ".*")`,
      `label_replace(${vector}, "version", "$name", "job", "(?P<name>a).*")`,
      `label_join(${vector}, "joined", "-", "job", "instance", "absent")`,
      `label_join(${vector}, "job", "")`,
    ])
  }

  #parenthesised(text: string): string {
    return /^[\w.]+$/.test(text) ? text : `(${text})`
  }
}
