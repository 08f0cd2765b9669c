/** The members of `T` and of its nested single objects, as dotted paths. */
type PathIn<T> = T extends object
  ? { [Name in keyof T & string]-?: Name | PathBelow<Name, NonNullable<T[Name]>> }[keyof T & string]
  : never

/** The dotted paths of the scalar members of one nested object. Lists and maps have no paths. */
type PathBelow<Name extends string, T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : `${Name}.${keyof T & string}`
    : never

/**
 * The dotted path of a scalar member of a document. Any name is accepted if the members of the document are unknown.
 */
export type Path<T> = string & (string extends keyof T ? string : [keyof T] extends [never] ? string : PathIn<T>)
