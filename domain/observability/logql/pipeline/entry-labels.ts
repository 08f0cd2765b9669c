import { setMember } from '../../../../runtime/json.ts'
import type { Labels } from '../../metrics/samples.ts'

/** What a pipeline asks of an entry beside its line. */
export interface EntryFacts {
  /** The structured metadata, by name. */
  metadata(): Labels
  /** The value of a field that is no label of its own (`fieldLabels`); undefined if the entry has none. */
  field(name: string): string | undefined
}

/** The labels that hold the error of a pipeline, and its details. */
export const errorLabel = '__error__'
export const errorDetailsLabel = '__error_details__'

/** The suffix of labels that parsers make and whose name the stream or the metadata has already. */
const duplicateSuffix = '_extracted'

/**
 * The labels of one entry on its way through a pipeline: those of the stream, the structured metadata and those that
 * stages make, of which the last ones hide the others. One object serves all entries in turn.
 */
export class EntryLabels {
  #stream: Labels = {}
  #facts: EntryFacts | undefined
  #metadata: Map<string, string> | undefined
  readonly #made = new Map<string, string>()
  readonly #deleted = new Set<string>()
  /** The labels that stages have made so far; parsers make no label twice. */
  readonly #extracted = new Set<string>()
  #error = ''
  #errorDetails = ''

  /** Begins with another entry. */
  reset(stream: Labels, facts: EntryFacts): void {
    this.#stream = stream
    this.#facts = facts
    this.#metadata = undefined
    this.#made.clear()
    this.#deleted.clear()
    this.#extracted.clear()
    this.#error = ''
    this.#errorDetails = ''
  }

  /** The name of the error of the pipeline; empty for none. */
  get error(): string {
    return this.#error
  }

  get errorDetails(): string {
    return this.#errorDetails
  }

  /** Stores an error; empty texts remove it. */
  setError(error: string, details: string): void {
    this.#error = error
    this.#errorDetails = details
  }

  /** Returns the value of a label; undefined if the entry does not have it. Errors are no labels here. */
  get(name: string): string | undefined {
    const made = this.#made.get(name) ?? this.#ownMetadata().get(name)
    if (made !== undefined) return made
    if (this.#deleted.has(name)) return undefined
    return this.#streamLabel(name) ?? this.#facts?.field(name)
  }

  /** Sets a label, which hides those of the stream and the metadata. */
  set(name: string, value: string): void {
    this.#metadata?.delete(name)
    this.#made.set(name, value)
    this.#extracted.add(name)
  }

  delete(name: string): void {
    this.#ownMetadata().delete(name)
    this.#made.delete(name)
    this.#deleted.add(name)
  }

  /** Returns the name of the label that a parser makes of a key. */
  nameFor(key: string): string {
    const isTaken = this.#streamLabel(key) !== undefined || this.#ownMetadata().has(key)
    return isTaken ? key + duplicateSuffix : key
  }

  /** Whether a stage has made a label with a name, even if another one has removed it. */
  isExtracted(name: string): boolean {
    return this.#extracted.has(name)
  }

  /** Whether the labels are those of the stream alone. */
  get isUntouched(): boolean {
    return this.#made.size === 0 && this.#deleted.size === 0 && this.#error === '' && this.#ownMetadata().size === 0
  }

  /** Returns the labels of the stream and those that stages have made, errors included, without empty ones. */
  labels(): Record<string, string> {
    const labels: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#stream)) {
      if (!this.#deleted.has(name) && value !== '') setMember(labels, name, value)
    }
    for (const [name, value] of this.#made) {
      if (value === '') delete labels[name]
      else setMember(labels, name, value)
    }
    if (this.#error !== '') labels[errorLabel] = this.#error
    if (this.#errorDetails !== '') labels[errorDetailsLabel] = this.#errorDetails
    return labels
  }

  /** Returns the structured metadata that stages have left. */
  metadata(): Record<string, string> {
    return Object.fromEntries(this.#ownMetadata())
  }

  #streamLabel(name: string): string | undefined {
    return Object.hasOwn(this.#stream, name) ? this.#stream[name] : undefined
  }

  /** Returns the metadata, read when it is asked for. Names that the stream has get a suffix. */
  #ownMetadata(): Map<string, string> {
    if (this.#metadata !== undefined) return this.#metadata
    const metadata = new Map<string, string>()
    this.#metadata = metadata
    for (const [name, value] of Object.entries(this.#facts?.metadata() ?? {})) {
      const own = this.#streamLabel(name) === undefined ? name : name + duplicateSuffix
      if (!this.#made.has(own)) metadata.set(own, value)
    }
    return metadata
  }
}
