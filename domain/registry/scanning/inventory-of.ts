import { describe, osvDistribution, type Place } from './ecosystems.ts'
import type { FoundPackage, Inventory } from './inventory.ts'
import type { OperatingSystem } from './sources/os-release.ts'
import { checkCount, type Reading } from './sources/source-package.ts'

/** A source of packages in an image, and its reading. */
export interface ReadSource extends Place {
  readonly reading: Reading
}

/** Something at a path that could not be read. */
export interface Unread {
  readonly what: string
  readonly path: string
}

/**
 * Returns the inventory of an image from the readings of its sources. Throws a `LayerFault` if there are more than 200,000
 * packages.
 */
export function inventoryOf(
  os: OperatingSystem | undefined,
  sources: readonly ReadSource[],
  unread: readonly Unread[],
): Inventory {
  const packages = new Map<string, FoundPackage>()
  const missed = [...unread]
  for (const { reading, path, layer_digest } of sources) {
    missed.push(...reading.unread.map(what => ({ what, path })))
    for (const named of reading.packages) {
      const found = describe(named, os, { path, layer_digest })
      if (found === undefined) missed.push({ what: `${named.kind} package without a package URL`, path })
      else packages.set(`${path}\n${found.ecosystem}\n${found.purl}`, found)
      checkCount(packages.size)
    }
  }
  const found = [...packages.values()].sort(inOrder)
  return {
    ...(os !== undefined && { os }),
    packages: found,
    unsupported: [...withoutAdvisories(os, found), ...texts(missed)],
  }
}

const inOrder = (a: FoundPackage, b: FoundPackage): number =>
  compare(a.ecosystem, b.ecosystem) ||
  compare(a.name, b.name) ||
  compare(a.version, b.version) ||
  compare(a.path, b.path) ||
  compare(a.purl, b.purl)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the text about packages of a distribution about which OSV has no advisories. */
function withoutAdvisories(os: OperatingSystem | undefined, packages: readonly FoundPackage[]): readonly string[] {
  const ofSystem = packages.find(({ purl }) => /^pkg:(?:apk|deb)\//.test(purl))
  if (ofSystem === undefined || (os !== undefined && osvDistribution(os) !== undefined)) return []
  const system = os === undefined ? 'an unknown distribution' : [os.id, os.version].join(' ').trim()
  return [`packages of ${system}, about which there are no advisories: ${ofSystem.path}`]
}

/** Returns a text for each kind of source that could not be read: the kind, the first path, and how many more there are. */
function texts(unread: readonly Unread[]): readonly string[] {
  const kinds = Map.groupBy(unread, ({ what }) => what)
  return [...kinds].map(([what, all]) => textOf(what, [...new Set(all.map(({ path }) => path))].sort())).sort()
}

const textOf = (what: string, [first = '', ...more]: readonly string[]): string =>
  `${what}: ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`
