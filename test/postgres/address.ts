/** Returns a URL of PostgreSQL with further settings for its connections. */
export function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  const before = changed.searchParams.get('options')
  changed.searchParams.set('options', before === null ? options : `${before} ${options}`)
  return changed.href
}

/** Returns the URL of a schema of the database. */
export const withSchema = (url: string, schema: string): string => withOptions(url, `-c search_path=${schema}`)
