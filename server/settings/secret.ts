import { plainText } from './scalars.ts'
import { Setting, type SettingForm } from './setting.ts'

const shown = '[secret]'

/** A text that no log, message or JSON shows; only `reveal` returns it. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the text itself, for use and not for storage. */
  reveal(): string {
    return this.#text
  }

  /** Returns a placeholder. */
  toString(): string {
    return shown
  }

  /** Returns a placeholder. */
  toJSON(): string {
    return shown
  }
}

/** The rule of a secret. Its message is fixed, so that no fault can show the value. */
export interface SecretRule {
  /** The fault, as the continuation of the setting's name: `must be 32 bytes in base64`. */
  readonly words: string
  readonly allows: (value: string) => boolean
}

const anySecret: SecretRule = { words: 'must be a text that is not empty', allows: value => value.trim() !== '' }

/**
 * Returns the setting of a text that stays hidden, such as a key or a password; by default any text that is not empty.
 */
export function secret({ allows, words }: SecretRule = anySecret): Setting<Secret, 'required'> {
  const form: SettingForm<Secret> = {
    notation: 'text',
    read(given, place, faults) {
      const text = plainText(given)
      return text !== undefined && allows(text) ? new Secret(text) : faults.add(place, words)
    },
    show: String,
  }
  return new Setting(form, 'required')
}
