/** The members of `T`, and those of single objects within, as dotted paths. */
type PathIn<T> = T extends object
  ? { [Name in keyof T & string]-?: Name | PathBelow<Name, NonNullable<T[Name]>> }[keyof T & string]
  : never

/** The paths of the members of one object. Lists and maps have none, and objects within the object are no columns. */
type PathBelow<Name extends string, T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : `${Name}.${keyof T & string}`
    : never

/** A scalar of a document, by the dotted path of its member. Any name, where nothing is known of the document's members. */
export type Path<T> = string & (string extends keyof T ? string : [keyof T] extends [never] ? string : PathIn<T>)
