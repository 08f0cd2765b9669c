import type { SettingFaults } from './faults.ts'

/**
 * The meaning of an absent value. In an object, a `required` member must be present, and an `optional` member may be
 * absent. A top-level setting may always be absent: without a default its value is then undefined. A `derived` default
 * follows from other settings of the server, so only a top-level setting can have it.
 */
export type Presence = 'required' | 'optional' | 'defaulted' | 'derived'

/** The settings of the server that a derived default may follow from. */
export interface ServerFacts {
  /** The folder for all data of the server. */
  readonly dataDir: string
  /** The URL of the server; undefined: the address of the listener. */
  readonly baseUrl: string | undefined
}

/** How values of one type are written. */
export interface SettingForm<T> {
  /** The form of a value in an environment variable: plain text or JSON. */
  readonly notation: 'text' | 'json'
  /** Reads a value of JSON, or the plain text of a variable; undefined when it has added faults. */
  read(given: unknown, place: string, faults: SettingFaults): T | undefined
  /** A value in Markdown. */
  show(value: T): string
}

interface Absence<T> {
  readonly words: string
  readonly fixed?: T
  readonly derive?: (server: ServerFacts) => T
}

/** A setting or a member of an object, with values of the type `T`. Immutable: each method answers a new setting. */
export class Setting<T, P extends Presence = Presence> {
  readonly form: SettingForm<T>
  readonly presence: P
  /** The default in Markdown, as the table of docs/operate.md shows it; empty without a default. */
  readonly words: string
  /** The default, where it is the same for all servers. */
  readonly fixed: T | undefined
  /** The default, where it follows from other settings. */
  readonly derive: ((server: ServerFacts) => T) | undefined

  constructor(form: SettingForm<T>, presence: P, { derive, fixed, words }: Absence<T> = { words: '' }) {
    this.form = form
    this.presence = presence
    this.words = words
    this.fixed = fixed
    this.derive = derive
  }

  /** The value may be absent. */
  get optional(): Setting<T, 'optional'> {
    return new Setting(this.form, 'optional')
  }

  /** The value may be absent; `words` tell in Markdown what the code that reads it uses instead. */
  otherwise(words: string): Setting<T, 'optional'> {
    return new Setting(this.form, 'optional', { words })
  }

  /** `value` is the default. */
  default(value: T): Setting<T, 'defaulted'> {
    return new Setting(this.form, 'defaulted', { words: this.form.show(value), fixed: value })
  }

  /** `derive` makes the default from the server's settings; `words` describe it in Markdown. */
  derived(words: string, derive: (server: ServerFacts) => T): Setting<T, 'derived'> {
    return new Setting(this.form, 'derived', { words, derive })
  }

  /** Adds the description of the setting, in Markdown: the sentence of its row in docs/operate.md. */
  describe(description: string): DescribedSetting<T, P> {
    return new DescribedSetting(this, description)
  }
}

/** A setting with the sentence that documents it, as areas declare it. */
export class DescribedSetting<T, P extends Presence = Presence> extends Setting<T, P> {
  readonly description: string

  constructor({ derive, fixed, form, presence, words }: Setting<T, P>, description: string) {
    super(form, presence, { words, ...(fixed !== undefined && { fixed }), ...(derive && { derive }) })
    this.description = description
  }
}

/** Text in the code marks of Markdown. */
export const inCode = (text: string): string => `\`${text}\``
