import { LayerFault } from '../inventory.ts'

/** The kind of a package, which decides about its ecosystem and its package URL. */
export type PackageKind = 'apk' | 'deb' | 'gem' | 'golang' | 'maven' | 'npm' | 'pypi'

/** A package as its source names it, before the operating system of the image is known. */
export interface SourcePackage {
  readonly kind: PackageKind
  /** The name as the ecosystem writes it; of Maven `group:artifact`. */
  readonly name: string
  readonly version: string
  /** The source package, where advisories are about source packages. */
  readonly source?: { readonly name: string; readonly version: string } | undefined
  readonly architecture?: string | undefined
}

/** What a source says. */
export interface Reading {
  readonly packages: readonly SourcePackage[]
  /** Descriptions of parts that could not be read, without a path: `package.json that is not JSON`. */
  readonly unread: readonly string[]
}

/** The reading of a source that names no package. */
export const nothing: Reading = { packages: [], unread: [] }

/** Returns the reading of a source that could not be read. */
export const unreadable = (what: string): Reading => ({ packages: [], unread: [what] })

/** The most packages of an image. */
export const mostPackages = 200_000

/** Throws a `LayerFault` for more than 200,000 packages. */
export function checkCount(packages: number): void {
  if (packages > mostPackages) throw new LayerFault('limit', `the image has more than ${mostPackages} packages`)
}

/** The most characters of a name or a version. */
const longest = 512

/** Returns whether a text can be a name or a version: 1 to 512 characters, no white space, no control characters. */
export const isPlain = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && text.length <= longest && /^[^\s\p{C}]+$/u.test(text)

/**
 * Returns the reading of packages that a source names. `what` describes the source: `dpkg status`. Packages whose names or
 * versions cannot be such are left out, and reported.
 */
export function readingOf(found: readonly SourcePackage[], what: string): Reading {
  const packages = found.filter(
    ({ name, source, version }) =>
      isPlain(name) && isPlain(version) && (source === undefined || (isPlain(source.name) && isPlain(source.version))),
  )
  const isWhole = packages.length === found.length
  return { packages, unread: isWhole ? [] : [`${what} with a package whose name or version is malformed`] }
}
