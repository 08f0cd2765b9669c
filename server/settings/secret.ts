import { plainText } from './scalars.ts'
import { Setting, type Form } from './setting.ts'

const shown = '[secret]'

/** A text that no log, message or JSON shows: only `reveal` answers it. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, to be used and not to be kept. */
  reveal(): string {
    return this.#text
  }

  /** Without the text. */
  toString(): string {
    return shown
  }

  /** Without the text. */
  toJSON(): string {
    return shown
  }
}

/** The form of a secret. Its words are fixed, so that no fault can show the value. */
export interface SecretRule {
  /** As it goes on after the name of the setting: `must be 32 bytes in base64`. */
  readonly words: string
  readonly allows: (value: string) => boolean
}

const anySecret: SecretRule = { words: 'must be a text that is not empty', allows: value => value.trim() !== '' }

/** A text that stays hidden, such as a key or a password; by default any that is not empty. */
export function secret({ allows, words }: SecretRule = anySecret): Setting<Secret, 'required'> {
  const form: Form<Secret> = {
    notation: 'text',
    read(given, place, faults) {
      const text = plainText(given)
      return text !== undefined && allows(text) ? new Secret(text) : faults.add(place, words)
    },
    show: String,
  }
  return new Setting(form, 'required')
}
