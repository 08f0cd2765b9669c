type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/**
 * Returns a copy of an object without its undefined members, because optional members of the model must not hold
 * undefined.
 */
export function present<T extends object>(members: T): Present<T> {
  const found: Present<T> = {}
  for (const name in members) {
    const value = members[name]
    if (isPresent(value)) found[name] = value
  }
  return found
}

const isPresent = <V>(value: V): value is Exclude<V, undefined> => value !== undefined
