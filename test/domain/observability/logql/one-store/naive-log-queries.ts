import type { Random } from '../../../../areas/random.ts'
import { labelFilter, labelNames } from './naive-label-filters.ts'
import { quote, type NaiveEntry, type NaiveStage } from './naive-stage.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'

/** A log query that a generator has made. */
export interface NaiveLogQuery {
  readonly text: string
  selects(labels: Labels): boolean
  readonly stages: readonly NaiveStage[]
}

/** Makes a label of a key of the line: the labels of a stream and labels that were made before stay. */
function make(entry: NaiveEntry, key: string, value: string): void {
  const name = Object.hasOwn(entry.stream, key) ? `${key}_extracted` : key
  if (entry.made.has(name)) return
  entry.labels.set(name, value)
  entry.made.add(name)
}

/** Parsers of the three forms of lines: JSON with one level of nesting, logfmt without quotes, and words. */
const parsers: readonly NaiveStage[] = [
  {
    text: '| json',
    run(entry) {
      if (!entry.line.startsWith('{')) {
        entry.error = 'JSONParserErr'
        return true
      }
      const members = JSON.parse(entry.line) as Record<string, unknown>
      for (const [key, value] of Object.entries(members)) {
        if (Array.isArray(value) || value === null) continue
        if (typeof value !== 'object') make(entry, key, String(value))
        else for (const [inner, text] of Object.entries(value)) make(entry, `${key}_${inner}`, String(text))
      }
      return true
    },
  },
  {
    text: '| logfmt',
    run(entry) {
      for (const word of entry.line.split(' ')) {
        const [key = '', value = '', ...rest] = word.split('=')
        const name = key.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_')
        if (key !== '' && rest.length === 0 && value !== '' && !word.includes('"')) make(entry, name, value)
      }
      return true
    },
  },
  {
    text: `| regexp ${quote(String.raw`(?P<method>[A-Z]+) (?P<path>/\w*)`)}`,
    run(entry) {
      const match = /([A-Z]+) (\/\w*)/.exec(entry.line)
      if (match !== null) for (const [i, name] of ['method', 'path'].entries()) make(entry, name, match[i + 1] ?? '')
      return true
    },
  },
  {
    text: '| pattern "<method> <path> <status>"',
    run(entry) {
      if (entry.line === '') return true
      const [method = '', path, ...status] = entry.line.split(' ')
      make(entry, 'method', method)
      if (path === undefined) return true
      make(entry, 'path', path)
      if (status.length > 0) make(entry, 'status', status.join(' '))
      return true
    },
  },
]

const words = ['error', 'GET', 'status', '"', 'ab', '0', 'missing']
const patterns: readonly (readonly [text: string, pattern: RegExp])[] = [
  ['err.r', /err.r/],
  ['(?i)ERROR', /error/i],
  [String.raw`\d{3}`, /\d{3}/],
  ['^[{G]', /^[{G]/],
  ['info|warn', /info|warn/],
]

function lineFilter(random: Random): NaiveStage {
  const isNegative = random.percent(40)
  if (random.percent(60)) {
    const texts = Array.from({ length: 1 + random.below(2) }, () => random.oneOf(words))
    const text = `${isNegative ? '!=' : '|='} ${texts.map(quote).join(' or ')}`
    return { text, run: ({ line }) => texts.some(each => line.split(each).length > 1) !== isNegative }
  }
  const [source, pattern] = random.oneOf(patterns)
  return { text: `${isNegative ? '!~' : '|~'} ${quote(source)}`, run: ({ line }) => pattern.test(line) !== isNegative }
}

function formatStage(random: Random): NaiveStage {
  const [name, other] = [random.oneOf(labelNames), random.oneOf(labelNames)]
  const set = ({ labels, made }: NaiveEntry, value: string): void => {
    labels.set(name, value)
    made.add(name)
  }
  switch (random.below(4)) {
    case 0: {
      const text = `| line_format ${quote(`<{{.${name}}} {{ .${other} }}>`)}`
      const run = (entry: NaiveEntry): boolean => {
        entry.line = `<${entry.labels.get(name) ?? ''} ${entry.labels.get(other) ?? ''}>`
        return true
      }
      return { text, run }
    }
    case 1: {
      const run = (entry: NaiveEntry): boolean => {
        set(entry, `${entry.labels.get(other) ?? ''}!`)
        return true
      }
      return { text: `| label_format ${name}=${quote(`{{.${other}}}!`)}`, run }
    }
    case 2: {
      const run = ({ labels }: NaiveEntry): boolean => {
        for (const each of new Set([name, other])) labels.delete(each)
        return true
      }
      return { text: `| drop ${name}, ${other}`, run }
    }
    default: {
      const run = ({ labels }: NaiveEntry): boolean => {
        for (const each of labels.keys()) if (each !== name && each !== other) labels.delete(each)
        return true
      }
      return { text: `| keep ${name}, ${other}`, run }
    }
  }
}

const selectors: readonly (readonly [text: string, selects: (labels: Labels) => boolean])[] = [
  ['{app="api"}', ({ app }) => app === 'api'],
  ['{app=~"api|web", env!="prod"}', ({ app, env }) => (app === 'api' || app === 'web') && env !== 'prod'],
  ['{app=~".+"}', () => true],
  ['{app!="", env=""}', ({ env }) => env === undefined],
  ['{env=~"d.*", app!~"w.b"}', ({ app, env }) => env?.startsWith('d') === true && app !== 'web'],
]

const noError: NaiveStage = { text: '| __error__=""', run: ({ error }) => error === '' }

/** Makes a log query; with `isClean` no entry has an error at its end. */
export function naiveLogQuery(random: Random, isClean: boolean): NaiveLogQuery {
  const [selector, selects] = random.oneOf(selectors)
  const makers = [lineFilter, () => random.oneOf(parsers), () => random.oneOf(parsers), labelFilter, formatStage]
  const stages: NaiveStage[] = []
  for (let count = random.below(5); count > 0; count -= 1) {
    const stage = random.oneOf(makers)(random)
    // After `drop a`, `!= "x"` would be a part of the condition on the label.
    const isCondition = stage.text.startsWith('!') && /^\| (?:drop|keep)/.test(stages.at(-1)?.text ?? '')
    if (!isCondition) stages.push(stage)
  }
  if (isClean) stages.push(noError)
  return { text: [selector, ...stages.map(({ text }) => text)].join(' '), selects, stages }
}
