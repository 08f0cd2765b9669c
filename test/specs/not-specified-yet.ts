/** Operations of the tables, by area, that the area's document does not have yet. */
export const notSpecifiedYet: Readonly<Record<string, readonly string[]>> = {}
