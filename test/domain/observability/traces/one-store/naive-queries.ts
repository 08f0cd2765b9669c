import type { TraceSpan } from '../../../../../domain/observability/traces/span.ts'
import type { Random } from '../../../../areas/random.ts'

/** A query and its meaning: the ids of the spans of a trace that it selects from some of them. */
export interface NaiveQuery {
  readonly text: string
  select(from: readonly TraceSpan[], trace: readonly TraceSpan[]): ReadonlySet<string>
}

/** A condition and its meaning. */
interface NaiveCondition {
  readonly text: string
  holds(span: TraceSpan, trace: readonly TraceSpan[]): boolean
}

type Attribute = string | number | boolean | undefined

export const attributeNames = ['a', 'b', 'http.code', 'flag'] as const
export const textValues = ['x', 'y', 'xy', ''] as const
export const serviceNames = ['api', 'web', 'db'] as const
export const spanNames = ['GET /', 'POST /', 'work'] as const

/** Returns a random query of the subset. */
export function naiveQuery(random: Random): NaiveQuery {
  const first = chain(random, 2)
  if (random.below(3) > 0) return first
  const stages = Array.from({ length: 1 + random.below(2) }, () =>
    random.below(3) === 0 ? chain(random, 1) : aggregate(random),
  )
  return pipeline([first, ...stages])
}

const pipeline = (stages: readonly NaiveQuery[]): NaiveQuery => ({
  text: stages.map(({ text }) => text).join(' | '),
  select(from, trace) {
    let left = from
    for (const stage of stages) {
      const kept = stage.select(left, trace)
      left = left.filter(({ spanId }) => kept.has(spanId))
    }
    return new Set(left.map(({ spanId }) => spanId))
  },
})

/** Returns sets of spans that `&&` and `||` join from the left to the right. */
function chain(random: Random, depth: number): NaiveQuery {
  const parts = Array.from({ length: 1 + random.below(3) }, () => structure(random, depth))
  const signs = parts.slice(1).map(() => random.oneOf(['&&', '||']))
  return {
    text: parts.map(({ text }, i) => (i === 0 ? text : ` ${signs[i - 1]} ${text}`)).join(''),
    select(from, trace) {
      const [first = new Set<string>(), ...others] = parts.map(part => part.select(from, trace))
      return others.reduce((left, right, i) => {
        const isEmpty = left.size === 0 || right.size === 0
        return signs[i] === '&&' && isEmpty ? new Set<string>() : united(left, right)
      }, first)
    },
  }
}

function united(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(left)
  for (const id of right) all.add(id)
  return all
}

function structure(random: Random, depth: number): NaiveQuery {
  const left = set(random, depth)
  if (random.below(3) > 0) return left
  const right = set(random, depth)
  const sign = random.oneOf(['>', '>>'])
  return {
    text: `${left.text} ${sign} ${right.text}`,
    select(from, trace) {
      const above = left.select(from, trace)
      const below = [...right.select(from, trace)]
      return new Set(below.filter(id => ancestors(id, trace, sign === '>' ? 1 : 100).some(each => above.has(each))))
    },
  }
}

/** Returns the ids of the nearest ancestors of a span. */
function ancestors(id: string, trace: readonly TraceSpan[], levels: number): readonly string[] {
  const parent = trace.find(({ spanId }) => spanId === id)?.parentId ?? ''
  return parent === '' || levels === 0 ? [] : [parent, ...ancestors(parent, trace, levels - 1)]
}

function set(random: Random, depth: number): NaiveQuery {
  if (depth > 0 && random.below(4) === 0) {
    const inner =
      random.below(3) === 0 ? pipeline([chain(random, depth - 1), aggregate(random)]) : chain(random, depth - 1)
    return { ...inner, text: `(${inner.text})` }
  }
  if (random.below(12) === 0) return { text: '{}', select: from => new Set(from.map(({ spanId }) => spanId)) }
  const condition = conditions(random, 2)
  return {
    text: `{ ${condition.text} }`,
    select: (from, trace) => new Set(from.filter(span => condition.holds(span, trace)).map(({ spanId }) => spanId)),
  }
}

function aggregate(random: Random): NaiveQuery {
  const sign = random.oneOf(['=', '!=', '<', '<=', '>', '>='])
  if (random.below(2) === 0) {
    const count = random.below(4)
    return {
      text: `count() ${sign} ${count}`,
      select: from => (from.length > 0 && ordered(from.length, sign, count) ? idsOf(from) : new Set()),
    }
  }
  const ms = random.below(40)
  const mean = (from: readonly TraceSpan[]) =>
    from.map(({ end, start }) => Number(end - start) / 1e6).reduce((sum, each) => sum + each, 0) / from.length
  return {
    text: `avg(duration) ${sign} ${ms}.5ms`,
    select: from => (from.length > 0 && ordered(mean(from), sign, ms + 0.5) ? idsOf(from) : new Set()),
  }
}

const idsOf = (spans: readonly TraceSpan[]): ReadonlySet<string> => new Set(spans.map(({ spanId }) => spanId))

/** Returns conditions that `&&` and `||` join from the left to the right. */
function conditions(random: Random, depth: number): NaiveCondition {
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    if (depth === 0 || random.below(4) > 0) return comparison(random)
    const inner = conditions(random, depth - 1)
    return { ...inner, text: `(${inner.text})` }
  })
  const signs = parts.slice(1).map(() => random.oneOf(['&&', '||']))
  return {
    text: parts.map(({ text }, i) => (i === 0 ? text : `${signs[i - 1]} ${text}`)).join(' '),
    holds: (span, trace) =>
      parts
        .slice(1)
        .reduce(
          (left, part, i) => (signs[i] === '&&' ? left && part.holds(span, trace) : left || part.holds(span, trace)),
          parts[0]?.holds(span, trace) ?? false,
        ),
  }
}

function comparison(random: Random): NaiveCondition {
  const kind = random.below(8)
  if (kind < 3) return attributeComparison(random)
  if (kind === 3) return enumComparison(random)
  if (kind === 4) return durationComparison(random)
  if (kind === 5) return patternMatch(random)
  if (kind === 6) return textComparison(random)
  const value = random.below(2) === 0
  return { text: String(value), holds: () => value }
}

/** Reads an attribute: of the span first, if no scope is named. */
const attribute = (span: TraceSpan, scope: string, name: string): Attribute => {
  const own = span.attributes[name] as Attribute
  const shared = span.resource.attributes[name] as Attribute
  if (scope === 'span') return own
  return scope === 'resource' ? shared : (own ?? shared)
}

function attributeComparison(random: Random): NaiveCondition {
  const name = random.oneOf(attributeNames)
  const scope = random.oneOf(['span', 'resource', ''])
  const value: string | number | boolean = random.oneOf([
    random.oneOf(textValues),
    random.below(4) * 100,
    random.below(4) - 2,
    1.5,
    true,
    false,
  ])
  const sign = random.oneOf(typeof value === 'boolean' ? ['=', '!='] : ['=', '!=', '<', '<=', '>', '>='])
  const literal = typeof value === 'string' ? JSON.stringify(value) : String(value)
  const isFlipped = random.below(5) === 0
  const field = `${scope}.${name}`
  return {
    text: isFlipped ? `${literal} ${sign} ${field}` : `${field} ${sign} ${literal}`,
    holds(span) {
      const found = attribute(span, scope, name)
      if (found === undefined || typeof found !== typeof value) return false
      return isFlipped ? ordered(value, sign, found) : ordered(found, sign, value)
    },
  }
}

function enumComparison(random: Random): NaiveCondition {
  const sign = random.oneOf(['=', '!='])
  const member = random.oneOf(['status', 'kind'] as const)
  const value = random.oneOf(member === 'status' ? ['ok', 'error', 'unset'] : ['server', 'client', 'internal'])
  return {
    text: `${member} ${sign} ${value}`,
    holds: span => (span[member].toLowerCase() === value) === (sign === '='),
  }
}

function durationComparison(random: Random): NaiveCondition {
  const sign = random.oneOf(['=', '!=', '<', '<=', '>', '>='])
  const ms = random.below(30)
  const text = random.oneOf([`${ms}ms`, `${ms * 1000}us`, `${ms / 1000}s`, `${ms * 1_000_000}`])
  const isOfTrace = random.below(2) === 0
  return {
    text: `${isOfTrace ? 'traceDuration' : 'duration'} ${sign} ${text}`,
    holds(span, trace) {
      const { end, start } = isOfTrace
        ? {
            end: Math.max(...trace.map(each => Number(each.end / 1000n))),
            start: Math.min(...trace.map(each => Number(each.start / 1000n))),
          }
        : { end: Number(span.end / 1000n), start: Number(span.start / 1000n) }
      return ordered(end - start, sign, ms * 1000)
    },
  }
}

function patternMatch(random: Random): NaiveCondition {
  const [pattern, test] = random.oneOf([
    ['x', (text: string) => text === 'x'],
    ['x.*', (text: string) => text.startsWith('x')],
    ['x|y', (text: string) => text === 'x' || text === 'y'],
    ['.+', (text: string) => text.length > 0],
    ['', (text: string) => text === ''],
  ] as const)
  const sign = random.oneOf(['=~', '!~'])
  const name = random.oneOf(attributeNames)
  return {
    text: `.${name} ${sign} "${pattern}"`,
    holds(span) {
      const found = attribute(span, '', name)
      return typeof found === 'string' && test(found) === (sign === '=~')
    },
  }
}

function textComparison(random: Random): NaiveCondition {
  const sign = random.oneOf(['=', '!=', '<', '>'])
  const member = random.oneOf(['name', 'rootName', 'rootServiceName'])
  const value = random.oneOf(member === 'rootServiceName' ? serviceNames : spanNames)
  return {
    text: `${member} ${sign} "${value}"`,
    holds(span, trace) {
      const root = trace.toSorted((one, other) => Number(one.start - other.start)).find(each => each.parentId === '')
      const found = member === 'name' ? span.name : member === 'rootName' ? root?.name : root?.resource.service
      return found !== undefined && ordered(found, sign, value)
    },
  }
}

function ordered<T extends string | number | boolean>(left: T, sign: string, right: T): boolean {
  if (sign === '=') return left === right
  if (sign === '!=') return left !== right
  return { '<': left < right, '<=': left <= right, '>': left > right, '>=': left >= right }[sign] ?? false
}
