/**
 * The words of units in the names of metrics, keyed by the unit in UCUM (OpenTelemetry, Prometheus and OpenMetrics
 * Compatibility, "Metric metadata").
 */
const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    d: 'days',
    h: 'hours',
    min: 'minutes',
    s: 'seconds',
    ms: 'milliseconds',
    us: 'microseconds',
    ns: 'nanoseconds',
    By: 'bytes',
    KiBy: 'kibibytes',
    MiBy: 'mebibytes',
    GiBy: 'gibibytes',
    TiBy: 'tibibytes',
    KBy: 'kilobytes',
    MBy: 'megabytes',
    GBy: 'gigabytes',
    TBy: 'terabytes',
    m: 'meters',
    V: 'volts',
    A: 'amperes',
    J: 'joules',
    W: 'watts',
    g: 'grams',
    Cel: 'celsius',
    Hz: 'hertz',
    '%': 'percent',
    '1': '',
  }),
)

/** The words of units after a slash, which are singular. */
const wordsPer: ReadonlyMap<string, string> = new Map(
  Object.entries({ s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year' }),
)

/** The parts of the name of a metric that say its unit; an empty part is left out. */
export interface UnitWords {
  readonly main: string
  /** The unit by which the main unit is divided, in the singular. */
  readonly per: string
}

/** Returns the words of a unit in UCUM. A unit without a word is its own word; annotations in braces have none. */
export function unitWords(unit: string): UnitWords {
  const [main = '', ...rest] = unit.split('/')
  return { main: wordOf(main, words), per: wordOf(rest.join('/'), wordsPer) }
}

function wordOf(unit: string, table: ReadonlyMap<string, string>): string {
  const trimmed = unit.trim()
  if (/[{}]/.test(trimmed)) return ''
  const word = table.get(trimmed) ?? trimmed
  return word
    .split(/[^a-zA-Z0-9:]+/)
    .filter(part => part !== '')
    .join('_')
}
