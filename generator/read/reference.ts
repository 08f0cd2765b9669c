/** The two parts of a `$ref`, decoded. */
export interface Reference {
  /** Relative to the file that holds the reference; empty: that file itself. */
  readonly path: string
  /** JSON pointer. */
  readonly pointer: string
  /** False for URLs and absolute paths, which are never followed. */
  readonly isLocal: boolean
}

/** Takes a `$ref` apart. Text that is not valid percent-encoding is taken as it stands. */
export function splitReference(reference: string): Reference {
  const hash = reference.indexOf('#')
  const path = decoded(hash < 0 ? reference : reference.slice(0, hash))
  const pointer = hash < 0 ? '' : decoded(reference.slice(hash + 1))
  // `c:/x` and `\\host` are absolute on some systems only: refused on all, so that a run means the same everywhere
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
