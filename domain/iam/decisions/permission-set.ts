import type { Catalogue } from '../interfaces/catalogue.ts'

/** An immutable set of permissions, as bits at the positions of `output/permission-bits.ts`. */
export class PermissionSet {
  static readonly empty = new PermissionSet(new Uint32Array(0))
  readonly #words: Uint32Array

  private constructor(words: Uint32Array) {
    this.#words = words
  }

  static of(bits: Iterable<number>): PermissionSet {
    const found = [...bits]
    if (found.length === 0) return PermissionSet.empty
    const words = new Uint32Array((found.reduce((most, bit) => Math.max(most, bit), 0) >>> 5) + 1)
    for (const bit of found) words[bit >>> 5] = wordAt(words, bit) | (1 << (bit & 31))
    return new PermissionSet(words)
  }

  /** Returns the union of sets. */
  static union(sets: Iterable<PermissionSet>): PermissionSet {
    let all = PermissionSet.empty
    for (const set of sets) all = all.union(set)
    return all
  }

  has(bit: number): boolean {
    return ((wordAt(this.#words, bit) >>> (bit & 31)) & 1) === 1
  }

  union(other: PermissionSet): PermissionSet {
    if (other.isSubsetOf(this)) return this
    const [long, short] = this.#words.length < other.#words.length ? [other, this] : [this, other]
    return new PermissionSet(long.#words.map((word, i) => word | (short.#words[i] ?? 0)))
  }

  without(other: PermissionSet): PermissionSet {
    return new PermissionSet(this.#words.map((word, i) => word & ~(other.#words[i] ?? 0)))
  }

  isSubsetOf(other: PermissionSet): boolean {
    return this.#words.every((word, i) => (word & ~(other.#words[i] ?? 0)) === 0)
  }
}

const wordAt = (words: Uint32Array, bit: number): number => words[bit >>> 5] ?? 0

/** Returns the set of the permissions with these keys. Unknown and retired keys are ignored. */
export function permissionSet(catalogue: Catalogue, keys: Iterable<string>): PermissionSet {
  const bits: number[] = []
  for (const key of keys) {
    const permission = catalogue.find(key)
    if (permission && permission.stage !== 'RETIRED') bits.push(permission.bit)
  }
  return PermissionSet.of(bits)
}
