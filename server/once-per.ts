/** Returns a function that makes a value on the first call with a key, and returns the same value for this key later. */
export function oncePer<Key extends object, Made extends object>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>()
  return key => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}
