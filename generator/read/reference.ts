/** The decoded parts of a `$ref`. */
export interface Reference {
  /** A path relative to the file that holds the reference; empty if the target is in the same file. */
  readonly path: string
  /** The JSON pointer after `#`; empty for the root of the file. */
  readonly pointer: string
  /** Whether the path is relative. URLs and absolute paths are never followed. */
  readonly isLocal: boolean
}

/** Splits a `$ref` into path and pointer. Invalid percent-encoding stays unchanged. */
export function splitReference(reference: string): Reference {
  const hash = reference.indexOf('#')
  const path = decoded(hash < 0 ? reference : reference.slice(0, hash))
  const pointer = hash < 0 ? '' : decoded(reference.slice(hash + 1))
  // `c:/x` and `\\host` are absolute on some systems only. The check refuses these paths on all systems, so that a run
  // has the same result everywhere.
  return { path, pointer, isLocal: !/^([a-z][a-z0-9+.-]*:|[/\\])/iu.test(path) && !path.includes('\0') }
}

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
