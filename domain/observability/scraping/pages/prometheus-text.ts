import type { PageEntries, PageEntry, PageSample } from './page-entries.ts'
import { takeLabels } from './page-labels.ts'
import { millisOf, numberOf } from './page-numbers.ts'
import type { PageScanner } from './page-scanner.ts'

const types = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])

const keyword = /(?:HELP|TYPE)[\t ]+/y
const comment = /#[ \t]+/y
const value = /[^{ \t\n]+/y
const digits = /[0-9]+/y

/**
 * Iterates over the entries of a page in the text format 0.0.4 of Prometheus, with names in quotes as Prometheus 3 reads
 * them. What Prometheus takes or refuses is taken or refused.
 */
export function* prometheusText(page: PageScanner): PageEntries {
  for (;;) {
    page.skipBlanks()
    if (page.next === '') return
    if (page.takes('\n')) continue
    if (page.next !== '#') yield sampleOf(page)
    else {
      const metadata = metadataOf(page)
      if (metadata) yield metadata
    }
  }
}

/** Takes a comment; returns undefined for a comment that is no metadata. */
function metadataOf(page: PageScanner): PageEntry | undefined {
  const word = page.take(comment) === undefined ? undefined : page.take(keyword)
  if (word === undefined) {
    page.takeRest()
    return undefined
  }
  const name = page.takeName()
  if (name === undefined) throw page.fault('a metric name is expected after HELP or TYPE')
  const isType = word.startsWith('TYPE')
  const text = page.takeRest().slice(1)
  if (!isType) page.requireUtf8(text)
  else if (!types.has(text)) throw page.fault('TYPE needs counter, gauge, histogram, summary or untyped')
  return { kind: isType ? 'type' : 'help', name, text: isType ? text : withoutEscapes(text) }
}

const withoutEscapes = (text: string): string =>
  text.replace(/\\([\\n])/g, (_, escape: string) => (escape === 'n' ? '\n' : escape))

function sampleOf(page: PageScanner): PageSample {
  const own = page.next === '{' ? undefined : page.takeName()
  if (own === undefined && page.next !== '{') throw page.fault('a sample or a comment is expected')
  page.skipBlanks()
  const braces = page.takes('{') ? takeLabels(page, { isStrict: false }) : { labels: [] }
  if (own !== undefined && 'name' in braces && braces.name !== undefined) throw page.fault('the metric has two names')
  return { kind: 'sample', name: own ?? nameIn(page, braces), labels: braces.labels, ...takeSuffix(page) }
}

/** Returns the name that stands in quotes among the labels of a metric. */
export function nameIn(page: PageScanner, { name = '' }: { readonly name?: string }): string {
  if (name === '') throw page.fault('the metric has no name')
  return name
}

/** Takes the value, the time if there is one, and the end of the line. */
function takeSuffix(page: PageScanner): Pick<PageSample, 'value' | 'time'> {
  page.skipBlanks()
  const number = numberOf(page.take(value) ?? '')
  if (number === undefined) throw page.fault('a number is expected as the value of the sample')
  page.skipBlanks()
  const stamp = page.take(digits)
  const time = stamp === undefined ? undefined : millisOf(stamp)
  if (stamp !== undefined && time === undefined) throw page.fault('the time of the sample is too large')
  page.skipBlanks()
  if (page.next !== '' && !page.takes('\n')) throw page.fault('a time or the end of the line is expected')
  return { value: number, ...(time !== undefined && { time }) }
}
