/** The operations of the tables that the document of their area does not have yet, keyed by area. */
export const notSpecifiedYet: Readonly<Record<string, readonly string[]>> = {}
