import type { SettingFaults } from './faults.ts'

/**
 * The meaning of an absent value. In an object, a `required` member must be present, and an `optional` member may be
 * absent. A top-level setting may always be absent: without a default its value is then undefined. A `derived` default
 * follows from other settings of the server, so only a top-level setting can have it.
 */
export type Presence = 'required' | 'optional' | 'defaulted' | 'derived'

/** The settings of the server from which a derived default may follow. */
export interface ServerFacts {
  /** The folder for all data of the server. */
  readonly dataDir: string
  /** The URL of the server; undefined: the address of the listener. */
  readonly baseUrl: string | undefined
  /** Whether the server was started with `--dev`; absent: no. */
  readonly isDev?: boolean
}

/** The written form of the values of one type. */
export interface SettingForm<T> {
  /** The form of a value in an environment variable: plain text or JSON. */
  readonly notation: 'text' | 'json'
  /**
   * Returns the value of a JSON value or of the plain text of a variable; adds faults and returns undefined for an
   * invalid value.
   */
  read(given: unknown, place: string, faults: SettingFaults): T | undefined
  /** Returns a value in Markdown. */
  show(value: T): string
}

interface Absence<T> {
  readonly words: string
  readonly fixed?: T
  readonly derive?: (server: ServerFacts) => T
}

/**
 * A setting or a member of an object, with values of the type `T`. Settings are immutable: each method returns a new
 * setting.
 */
export class Setting<T, P extends Presence = Presence> {
  readonly form: SettingForm<T>
  readonly presence: P
  /** The default in Markdown, as the table of docs/operate.md shows it; empty without a default. */
  readonly words: string
  /** The default value, if all servers have the same default. */
  readonly fixed: T | undefined
  /** Returns the default value, if the default follows from other settings. */
  readonly derive: ((server: ServerFacts) => T) | undefined

  constructor(form: SettingForm<T>, presence: P, { derive, fixed, words }: Absence<T> = { words: '' }) {
    this.form = form
    this.presence = presence
    this.words = words
    this.fixed = fixed
    this.derive = derive
  }

  /** Returns the setting with a value that may be absent. */
  get optional(): Setting<T, 'optional'> {
    return new Setting(this.form, 'optional')
  }

  /**
   * Returns the setting with a value that may be absent; `words` describe in Markdown the value that the reading code
   * then uses.
   */
  otherwise(words: string): Setting<T, 'optional'> {
    return new Setting(this.form, 'optional', { words })
  }

  /** Returns the setting with the default `value`. */
  default(value: T): Setting<T, 'defaulted'> {
    return new Setting(this.form, 'defaulted', { words: this.form.show(value), fixed: value })
  }

  /**
   * Returns the setting with a default that `derive` computes from the server's settings; `words` describe the default
   * in Markdown.
   */
  derived(words: string, derive: (server: ServerFacts) => T): Setting<T, 'derived'> {
    return new Setting(this.form, 'derived', { words, derive })
  }

  /** Returns the setting with its description in Markdown: the sentence of its row in docs/operate.md. */
  describe(description: string): DescribedSetting<T, P> {
    return new DescribedSetting(this, description)
  }
}

/** A setting with the sentence that documents the setting, as areas declare settings. */
export class DescribedSetting<T, P extends Presence = Presence> extends Setting<T, P> {
  readonly description: string

  constructor({ derive, fixed, form, presence, words }: Setting<T, P>, description: string) {
    super(form, presence, { words, ...(fixed !== undefined && { fixed }), ...(derive && { derive }) })
    this.description = description
  }
}

/** Returns a text as code in Markdown. */
export const inCode = (text: string): string => `\`${text}\``
