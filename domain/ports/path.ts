/** The names of the members of `T`, and the dotted paths of the members of its nested single objects. */
type PathIn<T> = T extends object
  ? { [Name in keyof T & string]-?: Name | PathBelow<Name, NonNullable<T[Name]>> }[keyof T & string]
  : never

/** The dotted paths of the members of one nested object. The elements of lists and maps have no paths. */
type PathBelow<Name extends string, T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : `${Name}.${keyof T & string}`
    : never

/**
 * The name of a member of a document, or the dotted path of a member of a nested object. Any text is accepted if the
 * type of the document does not state its members.
 */
export type Path<T> = string & (string extends keyof T ? string : [keyof T] extends [never] ? string : PathIn<T>)
