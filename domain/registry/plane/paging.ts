/** The default and the largest number of names in an answer (registry.md 3). */
const most = 1000

/** The query parameters of a list of names. */
export interface NamesRequest {
  readonly n?: string
  /** The last name of the answer before. */
  readonly last?: string
}

/** Returns the number of names that a request asks for; a text that is no number asks for the default. */
export function countOf({ n }: NamesRequest): number {
  return n !== undefined && /^\d{1,9}$/.test(n) ? Math.min(Number(n), most) : most
}

/** Returns the header that names the next page of a path (RFC 8288). */
export function nextLink(path: string, query: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { link: `<${path}?${new URLSearchParams(query).toString()}>; rel="next"` }
}
