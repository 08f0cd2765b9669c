import { lines } from './stanzas.ts'

/** The operating system of an image. */
export interface OperatingSystem {
  /** Its id, such as `debian`. */
  readonly id: string
  /** Its version, such as `12`; empty where it has none. */
  readonly version: string
}

/** Reads a file os-release (os-release(5)); undefined if it names no operating system. */
export function readOsRelease(text: string): OperatingSystem | undefined {
  const values = new Map<string, string>()
  for (const line of lines(text)) {
    const [, name, value] = /^\s*([A-Z_0-9]+)=(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) values.set(name, unquoted(value.trim()))
  }
  const id = values.get('ID')?.toLowerCase() ?? ''
  if (!/^[a-z0-9._-]{1,64}$/.test(id)) return undefined
  const version = values.get('VERSION_ID') ?? ''
  return { id, version: /^[\w.+~-]{1,64}$/.test(version) ? version : '' }
}

/** Returns a value of a shell assignment without its quotes. */
function unquoted(value: string): string {
  const quote = value[0]
  if (quote !== '"' && quote !== "'") return value
  const end = value.lastIndexOf(quote)
  const inner = value.slice(1, end > 0 ? end : undefined)
  return quote === '"' ? inner.replace(/\\(["$\\`])/g, '$1') : inner
}
