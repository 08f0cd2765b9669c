import { nameParts } from '../identifier.ts'

/** `quota` -> `Quota`. */
export const pascal = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/** `Quota` -> `quota`, `VMList` -> `vmList`. */
export const camel = (name: string): string =>
  name.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+$|^\p{Lu}/u, head => head.toLowerCase())

/** `A`, `B`, ... `Z`, `AA`: the suffixes of names that are not in the document. */
export function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

/** The class of a document's client: `TaxonomyClient`. */
export const clientName = (document: string): string => `${pascal(document)}Client`

/** The types of a document's area.ts: `TaxonomyArea`, `TaxonomyResourceType`. */
export const areaTypes = (document: string): { readonly area: string; readonly resource: string } => ({
  area: `${pascal(document)}Area`,
  resource: `${pascal(document)}ResourceType`,
})

/** Joins the parts of any text to one word of an identifier: `font-size`, `font_size` -> `fontSize`. */
export const word = (text: string): string =>
  nameParts(text.replaceAll('_', ' '))
    .map((part, i) => (i === 0 ? part : pascal(part)))
    .join('') || 'member'

/** The check of a type: `checkQuota`. */
export const checkName = (type: string): string => `check${pascal(type)}`

/** The function that completes a sent value of a type: `completeQuotaInput`. */
export const completeName = (type: string): string => `complete${pascal(type)}`

/** The constant that lists an enum's values: `lifecycleStateValues`. */
export const valuesName = (type: string): string => `${camel(type)}Values`

/** The constant that holds an updated schema's fields: `quotaFields`. */
export const fieldsName = (type: string): string => `${camel(type)}Fields`

/** Makes unique names of one file for values without a name in the document: the second `nameSet` is `nameSetB`. */
export class FreeNames {
  readonly #used: Set<string>
  readonly #met = new Map<string, number>()

  /** `taken` are the names that the document declares. */
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
