import type { PageEntries, PageMetadata, PageSample } from './page-entries.ts'
import { takeLabels } from './page-labels.ts'
import { numberOf } from './page-numbers.ts'
import { unescaped, type PageScanner } from './page-scanner.ts'
import { nameIn } from './prometheus-text.ts'

const types = new Set(['counter', 'gauge', 'histogram', 'gaugehistogram', 'stateset', 'info', 'summary', 'unknown'])

const keyword = /# (?:HELP|TYPE|UNIT) /y
const end = /# EOF\n?/y
const number = / [^ \n]+/y

/**
 * Iterates over the entries of a page in OpenMetrics 1.0. The page must end with `# EOF`. Exemplars are checked and left
 * out. What Prometheus takes or refuses is taken or refused.
 */
export function* openMetrics(page: PageScanner): PageEntries {
  for (;;) {
    if (page.next === '') throw page.fault('the page does not end with # EOF')
    if (page.take(end) !== undefined) {
      if (page.next !== '') throw page.fault('nothing may follow # EOF')
      return
    }
    const word = page.take(keyword)
    yield word === undefined ? sampleOf(page) : metadataOf(page, word)
  }
}

function metadataOf(page: PageScanner, word: string): PageMetadata {
  const name = page.takeName()
  if (name === undefined) throw page.fault('a metric name is expected after HELP, TYPE or UNIT')
  if (!page.takes(' ')) throw page.fault('a blank is expected after a metric name')
  const given = page.takeRest()
  const isType = word.startsWith('# TYPE')
  if (isType && !types.has(given)) throw page.fault('TYPE needs a type of OpenMetrics')
  if (word.startsWith('# HELP')) page.requireUtf8(given)
  else if (!isType && given !== '' && !name.endsWith(`_${given}`)) throw page.fault('the name must end with the unit')
  requireLineEnd(page)
  if (word.startsWith('# HELP')) return { kind: 'help', name, text: unescaped(given) }
  return { kind: isType ? 'type' : 'unit', name, text: given }
}

function sampleOf(page: PageScanner): PageSample {
  const own = page.next === '{' ? undefined : page.takeName()
  if (own === undefined && page.next !== '{') throw page.fault('a sample or a line of metadata is expected')
  const braces = page.takes('{') ? takeLabels(page, { isStrict: true }) : { labels: [] }
  if (own !== undefined && 'name' in braces && braces.name !== undefined) throw page.fault('the metric has two names')
  const name = own ?? nameIn(page, braces)
  const value = takeNumber(page, 'value of the sample')
  const time = takeTime(page)
  if (page.takes(' # {')) takeExemplar(page)
  requireLineEnd(page)
  return { kind: 'sample', name, labels: braces.labels, value, ...(time !== undefined && { time }) }
}

function takeExemplar(page: PageScanner): void {
  const { name } = takeLabels(page, { isStrict: true })
  if (name !== undefined) throw page.fault('a label of an exemplar needs a value')
  takeNumber(page, 'value of the exemplar')
  takeTime(page)
}

/** Takes a time in seconds, if one stands here; returns it in milliseconds. */
function takeTime(page: PageScanner): number | undefined {
  if (page.next !== ' ' || page.isAt(' # {')) return undefined
  const seconds = takeNumber(page, 'time')
  if (!Number.isFinite(seconds)) throw page.fault('the time must be a finite number of seconds')
  return Math.trunc(seconds * 1000)
}

function takeNumber(page: PageScanner, what: string): number {
  const value = numberOf(page.take(number)?.slice(1) ?? '')
  if (value === undefined) throw page.fault(`a number is expected as the ${what}`)
  return value
}

function requireLineEnd(page: PageScanner): void {
  if (page.next === '') throw page.fault('the page does not end with # EOF')
  if (!page.takes('\n')) throw page.fault('the end of the line is expected')
}
