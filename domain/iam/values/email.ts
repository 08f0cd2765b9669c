/**
 * Returns the form of an address for storage and comparison: lower case, NFC and well-formed. The address must be
 * well-formed, because a store treats all unpaired surrogates as equal.
 */
export const normalEmail = (address: string): string => address.toWellFormed().toLowerCase().normalize('NFC')

/** Returns the part before the `@`. */
export const localPart = (address: string): string => address.slice(0, Math.max(0, address.indexOf('@')))
