import type { LogEntry } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredEntry } from '../logql/entry-source.ts'
import { tailEntry } from '../logs/tail-entry.ts'
import type { Labels } from '../metrics/samples.ts'
import { SinkFilter, type SinkRules } from './sink-filter.ts'

/** A read of entries for a sink, in the order of their numbers. */
export interface LinesRead {
  readonly rules: SinkRules
  /** Entries with greater numbers are read. */
  readonly after: number
  /** The greatest number that is read. */
  readonly last: number
  /** The room for lines in bytes. */
  readonly maxBytes: number
  /** Whether the first entry is taken even if it has more bytes than the room. */
  readonly mayExceed: boolean
  /** Whether the lines are returned, and not their facts alone. */
  readonly withText: boolean
}

/** The lines of a read. A read may look at a part of the requested lines. */
export interface LinesPage {
  /** The number up to which all entries were looked at. */
  readonly position: number
  /** Whether an entry had no room. */
  readonly isFull: boolean
  readonly entries: number
  /** The bytes of the lines with their line ends. */
  readonly bytes: number
  /** The numbers of the first and of the last line, and when the first entry came in; absent without lines. */
  readonly range?: { readonly first: number; readonly last: number; readonly firstTime: string }
  /** The lines, each with a line end; empty unless they were asked for. */
  readonly text: Uint8Array
}

/** The entries of a workspace that sinks export; each has a number. All calls reject with errors of the area. */
export interface SinkSourceReader {
  /** Returns the number of the last entry; 0 without entries. */
  last(): Promise<number>
  /** Returns the greatest number before the entries that came in at a time or later, in milliseconds since 1970. */
  numberBefore(since: number): Promise<number>
  read(read: LinesRead): Promise<LinesPage>
}

/** An entry with the labels of its stream. */
export interface LabelledEntry {
  readonly labels: Labels
  readonly entry: StoredEntry
}

/** The logs of all workspaces, as sinks read them. */
export interface SinkLogs {
  lastNumber(workspace: string): Promise<number>
  numberBefore(workspace: string, since: number, signal: AbortSignal): Promise<number>
  lines(workspace: string, read: LinesRead, signal: AbortSignal): Promise<LinesPage>
  /** Returns what `chosenLines` returns, without work on the event loop of the caller. */
  chosen(workspace: string, given: GivenEntries, read: LinesRead, signal: AbortSignal): Promise<LinesPage>
}

/** Entries that are not in the logs. */
export interface GivenEntries {
  /** The entries in the order of their numbers, all greater than the number after which the read begins. */
  readonly entries: readonly LabelledEntry[]
  /** The number up to which the entries are all entries. */
  readonly boundary: number
}

/** Returns the lines of the entries that the rules of a read choose. */
export function chosenLines({ boundary, entries }: GivenEntries, read: LinesRead): LinesPage {
  const filter = new SinkFilter(read.rules)
  const lines = new LineCollector(read)
  for (const { entry, labels } of entries)
    if (filter.selects(labels) && filter.takes(labels, entry) && !lines.add(labels, entry)) break
  return lines.page(boundary, read.after)
}

/** Returns an entry with the labels of its stream, as a sink exports the entry. */
const exportedEntry = (stream: Labels, entry: StoredEntry): LogEntry =>
  tailEntry({ entry, line: entry.line, labels: stream, metadata: entry.metadata })

/** Collects the lines of a page. */
export class LineCollector {
  readonly #read: Pick<LinesRead, 'maxBytes' | 'mayExceed' | 'withText'>
  readonly #lines: string[] = []
  #entries = 0
  #bytes = 0
  #range: LinesPage['range']
  #isFull = false

  constructor(read: Pick<LinesRead, 'maxBytes' | 'mayExceed' | 'withText'>) {
    this.#read = read
  }

  /** Takes an entry; returns false if there is no room for it. Entries come in the order of their numbers. */
  add(stream: Labels, entry: StoredEntry): boolean {
    const { maxBytes, mayExceed, withText } = this.#read
    const line = `${JSON.stringify(exportedEntry(stream, entry))}\n`
    const bytes = this.#bytes + Buffer.byteLength(line, 'utf8')
    if (bytes > maxBytes && !(mayExceed && this.#entries === 0)) {
      this.#isFull = true
      return false
    }
    if (withText) this.#lines.push(line)
    this.#entries += 1
    this.#bytes = bytes
    const { first, firstTime } = this.#range ?? { first: entry.number, firstTime: formatMillis(entry.ingestTime) }
    this.#range = { first, last: entry.number, firstTime }
    return true
  }

  /** Returns the page; `boundary` is the number up to which all entries were looked at if none lacked room. */
  page(boundary: number, after: number): LinesPage {
    return {
      position: this.#isFull ? (this.#range?.last ?? after) : boundary,
      isFull: this.#isFull,
      entries: this.#entries,
      bytes: this.#bytes,
      ...(this.#range && { range: this.#range }),
      text: Buffer.from(this.#lines.join(''), 'utf8'),
    }
  }
}
