/** The members of `T` and of its nested single objects, as dotted paths. */
type PathIn<T> = T extends object
  ? { [Name in keyof T & string]-?: Name | PathBelow<Name, NonNullable<T[Name]>> }[keyof T & string]
  : never

/**
 * The paths of the members of one object. Lists and maps have no paths, and nested objects themselves are no columns.
 */
type PathBelow<Name extends string, T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : `${Name}.${keyof T & string}`
    : never

/**
 * A scalar of a document, by the dotted path of its member. Any name is accepted if the members of the document are
 * unknown.
 */
export type Path<T> = string & (string extends keyof T ? string : [keyof T] extends [never] ? string : PathIn<T>)
