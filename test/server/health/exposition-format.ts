/** A sample of an exposition: the name of its series, the labels and the value. */
export interface Read {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|Nan|[+-]?Inf|[-+]?[\d.]+(?:e[-+]?\d+)?)$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/**
 * Reads the text format of Prometheus 0.0.4; returns the samples in order. Throws if a line is malformed, if a type
 * occurs twice or without the help of its family before, if a sample does not belong to the family of the last help, if
 * a series occurs twice, or if the buckets of a histogram do not grow up to +Inf, which must equal the count.
 */
export function readExposition(text: string): readonly Read[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const types = new Map<string, string>()
  const seen = new Set<string>()
  const samples: Read[] = []
  let family = ''
  for (const line of text.split('\n').filter(row => row !== '')) {
    const [, keyword, named = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      family = named
      continue
    }
    if (keyword === 'TYPE') {
      if (named !== family || types.has(named)) throw new Error(`type out of place: ${line}`)
      if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest)) throw new Error(`an unknown type: ${line}`)
      types.set(named, rest)
      continue
    }
    const sample = readSample(line)
    if (!belongs(sample.name, family, types.get(family))) throw new Error(`a sample outside its family: ${line}`)
    const series = line.slice(0, line.lastIndexOf(' '))
    if (seen.has(series)) throw new Error(`the series occurs twice: ${line}`)
    seen.add(series)
    samples.push(sample)
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples)
  return samples
}

function readSample(line: string): Read {
  const [, name = '', inner = '', value = ''] = sampleLine.exec(line) ?? []
  if (name === '') throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  for (let at = 0; at < inner.length; at = label.lastIndex) {
    const [, key = '', text = ''] = label.exec(inner) ?? []
    if (key === '' || key in labels) throw new Error(`malformed labels: ${line}`)
    labels[key] = text
  }
  return { name, labels, value: /^[+-]?Inf$/.test(value) ? Number(`${value}inity`) : Number(value) }
}

function belongs(name: string, family: string, type: string | undefined): boolean {
  if (type === undefined) return false
  if (type !== 'histogram') return name === family
  return ['_bucket', '_sum', '_count'].some(ending => name === family + ending)
}

function checkHistogram(name: string, samples: readonly Read[]): void {
  const keyOf = ({ labels }: Read): string => JSON.stringify({ ...labels, le: undefined })
  const buckets = Map.groupBy(
    samples.filter(sample => sample.name === `${name}_bucket`),
    keyOf,
  )
  for (const [key, rows] of buckets) {
    const bounds = rows.map(({ labels }) => Number((labels['le'] ?? '').replace('Inf', 'Infinity')))
    const isGrowing = rows.every(({ value }, index) => value >= (rows[index - 1]?.value ?? 0))
    const isSorted = bounds.every((bound, index) => bound > (bounds[index - 1] ?? -Infinity))
    if (!isGrowing || !isSorted || bounds.at(-1) !== Infinity)
      throw new Error(`the buckets do not grow up to +Inf: ${name}${key}`)
    const count = samples.find(sample => sample.name === `${name}_count` && keyOf(sample) === key)
    if (count?.value !== rows.at(-1)?.value) throw new Error(`the count differs from the last bucket: ${name}${key}`)
  }
}

/**
 * Returns the value of the only series with this name and at least these labels; throws if no series or several match.
 */
export function valueOf(samples: readonly Read[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const found = samples.filter(
    sample => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  const [first] = found
  if (first === undefined || found.length > 1)
    throw new Error(`${found.length} series are ${name}${JSON.stringify(labels)}`)
  return first.value
}
