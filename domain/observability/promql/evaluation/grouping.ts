import type { LabelSet } from './label-set.ts'

/** The grouping of the elements of a vector by their labels. */
export class Grouping {
  readonly #without: boolean
  readonly #names: ReadonlySet<string>
  readonly #ordered: readonly string[]

  /** `without` groups by all labels but `names` and the name of the metric; otherwise `names` are the labels. */
  constructor(names: readonly string[], without: boolean) {
    this.#without = without
    this.#names = new Set(without ? [...names, '__name__'] : names)
    this.#ordered = [...this.#names].sort()
  }

  /** A text that is equal for elements of one group and for no others. */
  keyOf(labels: LabelSet): string {
    return this.#without ? labels.without(this.#names).key : labels.keyWith(this.#ordered)
  }

  /** The labels of the group of an element. */
  labelsOf(labels: LabelSet): LabelSet {
    return this.#without ? labels.without(this.#names) : labels.keep(this.#names)
  }

  /** Puts items into groups, in the order in which the groups appear. */
  groups<T extends { readonly labels: LabelSet }>(items: readonly T[]): readonly T[][] {
    const groups = new Map<string, T[]>()
    for (const item of items) {
      const key = this.keyOf(item.labels)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
    return [...groups.values()]
  }
}
