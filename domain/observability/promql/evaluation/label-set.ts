import { setMember } from '../../../../runtime/json.ts'
import type { Labels } from '../../metrics/samples.ts'

/** The labels that describe the metric itself; calculations drop them. */
const metadataLabels: ReadonlySet<string> = new Set(['__name__', '__type__', '__unit__'])

/** The labels of an element of a vector: names in order, no empty values. Immutable. */
export class LabelSet {
  // By its name, the compiled class would not be initialized here.
  static readonly empty = new this([])

  /** Names and values in turn, in the order of the names. */
  readonly pairs: readonly string[]
  #key: string | undefined

  private constructor(pairs: readonly string[]) {
    this.pairs = pairs
  }

  static of(labels: Labels): LabelSet {
    const pairs: string[] = []
    for (const name of Object.keys(labels).sort()) {
      const value = labels[name]
      if (value !== undefined && value !== '') pairs.push(name, value)
    }
    return new LabelSet(pairs)
  }

  /** A text that is equal for equal labels and for no others. */
  get key(): string {
    return (this.#key ??= keyOf(this.pairs))
  }

  /** Returns the value of a label; the empty string if it is absent. */
  get(name: string): string {
    for (let i = 0; i < this.pairs.length; i += 2) if (this.pairs[i] === name) return this.pairs[i + 1] ?? ''
    return ''
  }

  /** Returns these labels without those that describe the metric. */
  withoutMetadata(): LabelSet {
    return this.#filter(name => !metadataLabels.has(name))
  }

  without(names: ReadonlySet<string>): LabelSet {
    return this.#filter(name => !names.has(name))
  }

  keep(names: ReadonlySet<string>): LabelSet {
    return this.#filter(name => names.has(name))
  }

  /** Returns these labels with another value of one label; an empty value removes the label. */
  set(name: string, value: string): LabelSet {
    const rest = this.#filter(other => other !== name).pairs
    if (value === '') return new LabelSet(rest)
    let index = 0
    while (index < rest.length && (rest[index] ?? '') < name) index += 2
    return new LabelSet([...rest.slice(0, index), name, value, ...rest.slice(index)])
  }

  /** Orders labels by the first name or value that differs; a shorter set comes before its extensions. */
  compare(other: LabelSet): number {
    const length = Math.min(this.pairs.length, other.pairs.length)
    for (let i = 0; i < length; i += 1) {
      const [own, its] = [this.pairs[i] ?? '', other.pairs[i] ?? '']
      if (own !== its) return own < its ? -1 : 1
    }
    return this.pairs.length - other.pairs.length
  }

  toLabels(): Labels {
    const labels: Record<string, string> = {}
    for (let i = 0; i < this.pairs.length; i += 2) setMember(labels, this.pairs[i] ?? '', this.pairs[i + 1] ?? '')
    return labels
  }

  /** The key of the values of some labels, absent ones included. `names` are in order and each once. */
  keyWith(names: readonly string[]): string {
    return keyOf(names.map(name => this.get(name)))
  }

  #filter(isKept: (name: string) => boolean): LabelSet {
    const pairs: string[] = []
    for (let i = 0; i < this.pairs.length; i += 2) {
      const name = this.pairs[i] ?? ''
      if (isKept(name)) pairs.push(name, this.pairs[i + 1] ?? '')
    }
    return pairs.length === this.pairs.length ? this : new LabelSet(pairs)
  }
}

/** Joins texts so that different lists give different results. */
const keyOf = (texts: readonly string[]): string => texts.map(text => `${text.length}:${text}`).join('')
