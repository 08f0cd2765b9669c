import type { Labels } from '../../metrics/samples.ts'
import type { EntryPart, EntryRun } from '../entry-source.ts'

/** The order of entries: by their times and numbers, the oldest or the newest first. */
export type Direction = 'BACKWARD' | 'FORWARD'

/** An entry of a run. It is valid until the next entry is asked for. */
export interface PlacedEntry {
  readonly labels: Labels
  readonly run: EntryRun
  readonly index: number
}

/**
 * Returns the entries of parts in order, without those whose line is not admitted. A part is read when no other entry can
 * come before its entries any more.
 */
export function* orderedEntries(
  parts: readonly EntryPart[],
  direction: Direction,
  admits: (line: string) => boolean,
): Generator<PlacedEntry, void, undefined> {
  const queue = new CursorQueue(parts.map(part => new Cursor(part, direction, admits)))
  for (let cursor = queue.first; cursor !== undefined; cursor = queue.first) {
    const { run, index, labels } = cursor
    if (run !== undefined) yield { labels, run, index }
    if (cursor.advance()) queue.siftDown()
    else queue.removeFirst()
  }
}

/** The place of the merge in one part. Before the part is read, the place is the bound of the times of its entries. */
class Cursor {
  readonly labels: Labels
  run: EntryRun | undefined
  index = 0
  /** The key of the order: greater keys come later. */
  time: bigint
  number = -Infinity
  readonly #part: EntryPart
  readonly #step: 1 | -1
  readonly #admits: (line: string) => boolean

  constructor(part: EntryPart, direction: Direction, admits: (line: string) => boolean) {
    this.labels = part.labels
    this.#part = part
    this.#step = direction === 'FORWARD' ? 1 : -1
    this.#admits = admits
    this.time = direction === 'FORWARD' ? part.first : -part.last
  }

  /** Goes to the next entry that is admitted, reading the part first; returns false at the end. */
  advance(): boolean {
    if (this.run === undefined) {
      this.run = this.#part.read()
      this.index = this.#step === 1 ? -1 : this.run.length
    }
    const { run } = this
    for (this.index += this.#step; this.index >= 0 && this.index < run.length; this.index += this.#step) {
      if (!this.#admits(run.line(this.index))) continue
      const time = run.time(this.index)
      this.time = this.#step === 1 ? time : -time
      this.number = this.#step * run.number(this.index)
      return true
    }
    return false
  }

  isBefore(other: Cursor): boolean {
    return this.time < other.time || (this.time === other.time && this.number < other.number)
  }
}

/** A binary heap of cursors; the first one comes before all others. */
class CursorQueue {
  readonly #cursors: Cursor[]

  constructor(cursors: Cursor[]) {
    this.#cursors = cursors.sort((one, other) => (one.isBefore(other) ? -1 : other.isBefore(one) ? 1 : 0))
  }

  get first(): Cursor | undefined {
    return this.#cursors[0]
  }

  removeFirst(): void {
    const last = this.#cursors.pop()
    if (last === undefined || this.#cursors.length === 0) return
    this.#cursors[0] = last
    this.siftDown()
  }

  /** Moves the first cursor to its place. */
  siftDown(): void {
    const cursors = this.#cursors
    let index = 0
    const [moved] = cursors
    if (moved === undefined) return
    for (;;) {
      const left = 2 * index + 1
      const [one, other] = [cursors[left], cursors[left + 1]]
      if (one === undefined) break
      const [child, at] = other?.isBefore(one) === true ? [other, left + 1] : [one, left]
      if (!child.isBefore(moved)) break
      cursors[index] = child
      index = at
    }
    cursors[index] = moved
  }
}
