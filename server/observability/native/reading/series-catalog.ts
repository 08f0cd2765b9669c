import type { Labels } from '../../../../domain/observability/metrics/samples.ts'
import type { Matcher } from '../../../../domain/observability/promql/matcher.ts'
import { setMember } from '../../../../runtime/json.ts'
import { labelsOfKey, valueOf } from '../../../../domain/observability/metrics/label-key.ts'

/** A series that a reader knows. */
export interface KnownSeries {
  readonly id: number
  readonly labels: Labels
}

/** The series of a workspace in memory, with their positions by labels and values. */
export class SeriesCatalog {
  readonly #series: KnownSeries[] = []
  /** The positions of the series that have a value of a label, ascending, keyed by the label and the value. */
  readonly #positions = new Map<string, Map<string, number[]>>()
  /** One instance of each text. */
  readonly #texts = new Map<string, string>()

  /** The id of the last series; 0 without series. */
  get lastId(): number {
    return this.#series[this.#series.length - 1]?.id ?? 0
  }

  get series(): readonly KnownSeries[] {
    return this.#series
  }

  /** Adds a series whose id is greater than those of the others; `key` are its labels as `labelKey` returns them. */
  add(id: number, key: string): void {
    const labels: Record<string, string> = {}
    const position = this.#series.length
    for (const [name, value] of Object.entries(labelsOfKey(key))) {
      const own = this.#text(name)
      setMember(labels, own, this.#text(value))
      const values = this.#positions.get(own) ?? new Map<string, number[]>()
      if (values.size === 0) this.#positions.set(own, values)
      const list = values.get(value)
      if (list) list.push(position)
      else values.set(this.#text(value), [position])
    }
    this.#series.push({ id, labels })
  }

  /** Returns the series that fit all matchers, in the order of their ids. */
  matching(matchers: readonly Matcher[]): readonly KnownSeries[] {
    const tests = matchers.map(({ name, test }) => ({ name, test: remembering(test) }))
    const found: KnownSeries[] = []
    for (const position of this.#candidates(matchers)) {
      const series = this.#series[position]
      if (series && tests.every(({ name, test }) => test(valueOf(series.labels, name)))) found.push(series)
    }
    return found
  }

  /** Returns the positions of series, ascending, among them those that fit all matchers. */
  #candidates(matchers: readonly Matcher[]): Iterable<number> {
    let best: readonly number[][] | undefined
    let fewest = Infinity
    for (const { name, only, test } of matchers) {
      if (test('')) continue
      const lists = this.#listsOf(name, only, test)
      const count = lists.reduce((sum, { length }) => sum + length, 0)
      if (count >= fewest) continue
      fewest = count
      best = lists
    }
    if (best === undefined) return this.#series.keys()
    const [first = []] = best
    return best.length <= 1 ? first : Int32Array.from(best.flat()).sort()
  }

  /** Returns the positions of the series whose value of a label fits, a list for each value. */
  #listsOf(name: string, only: readonly string[] | undefined, test: (value: string) => boolean): number[][] {
    const values = this.#positions.get(name)
    if (values === undefined) return []
    if (only !== undefined) return only.flatMap(value => (values.has(value) ? [values.get(value) ?? []] : []))
    return [...values].flatMap(([value, list]) => (test(value) ? [list] : []))
  }

  #text(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}

/** Returns a test that runs once for each value. */
function remembering(test: (value: string) => boolean): (value: string) => boolean {
  const results = new Map<string, boolean>()
  return value => {
    const known = results.get(value)
    if (known !== undefined) return known
    const result = test(value)
    results.set(value, result)
    return result
  }
}
