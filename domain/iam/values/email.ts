/** An address as it is kept and compared: lower case, NFC, and well-formed, as stores have all halves of pairs for one. */
export const normalEmail = (address: string): string => address.toWellFormed().toLowerCase().normalize('NFC')

/** What stands before the `@`. */
export const localPart = (address: string): string => address.slice(0, Math.max(0, address.indexOf('@')))
