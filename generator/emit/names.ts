import { nameParts } from '../identifier.ts'
import type { NamedSchema } from '../model/types.ts'

/** Makes the first letter upper case: `quota` -> `Quota`. */
export const pascal = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/** Makes the first word lower case: `Quota` -> `quota`, `VMList` -> `vmList`. */
export const camel = (name: string): string =>
  name.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+$|^\p{Lu}/u, head => head.toLowerCase())

/** Returns the suffix with an index, `A`, `B`, ... `Z`, `AA`, for names that are not in the document. */
export function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

/** Returns the name of the class of a document's client: `TaxonomyClient`. */
export const clientName = (document: string): string => `${pascal(document)}Client`

/** Returns the names of the types in a document's area.ts: `TaxonomyArea`, `TaxonomyResourceType`. */
export const areaTypes = (document: string): { readonly area: string; readonly resource: string } => ({
  area: `${pascal(document)}Area`,
  resource: `${pascal(document)}ResourceType`,
})

/**
 * Joins the words of a text to a part of an identifier: `font-size`, `font_size` -> `fontSize`. Returns `member` for a
 * text without letters and digits.
 */
export const word = (text: string): string =>
  nameParts(text.replaceAll('_', ' '))
    .map((part, i) => (i === 0 ? part : pascal(part)))
    .join('') || 'member'

/** Returns the name of the check of a type: `checkQuota`. */
export const checkName = (type: string): string => `check${pascal(type)}`

/** Returns the name of the function that completes a sent value of a type: `completeQuotaInput`. */
export const completeName = (type: string): string => `complete${pascal(type)}`

/** Returns the name of the constant that lists an enum's values: `lifecycleStateValues`. */
export const valuesName = (type: string): string => `${camel(type)}Values`

/** Returns the name of the constant that holds an updated schema's fields: `quotaFields`. */
export const fieldsName = (type: string): string => `${camel(type)}Fields`

/** Returns the name of the constant that says where a schema contains 64-bit integers: `quotaInt64s`. */
export const placesName = ({ views }: NamedSchema): string => `${camel(views.output)}Int64s`

/** Makes unique names in one file for values that have no name in the document: the second `nameSet` is `nameSetB`. */
export class FreeNames {
  readonly #used: Set<string>
  readonly #met = new Map<string, number>()

  /** `taken` holds the names that the document declares. */
  constructor(taken: ReadonlySet<string>) {
    this.#used = new Set(taken)
  }

  /** Reserves a name that was made elsewhere. */
  take(name: string): void {
    this.#used.add(name)
  }

  claim(wanted: string): string {
    let index = this.#met.get(wanted) ?? 0
    let name = index === 0 ? wanted : wanted + letters(index)
    for (; this.#used.has(name); name = wanted + letters(index)) index += 1
    this.#met.set(wanted, index + 1)
    this.#used.add(name)
    return name
  }
}
