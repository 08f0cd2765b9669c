import { compareApk } from './apk.ts'
import { compareDpkg } from './dpkg.ts'
import { compareMaven } from './maven.ts'
import { comparePypi } from './pypi.ts'
import { compareRubyGems } from './rubygems.ts'
import { compareSemver } from './semver.ts'
import type { VersionOrder } from './version-order.ts'

/** The order of versions of each ecosystem of OSV, by its name without the release. */
const orders: ReadonlyMap<string, VersionOrder> = new Map([
  ['Alpine', compareApk],
  ['Chainguard', compareApk],
  ['Wolfi', compareApk],
  ['Debian', compareDpkg],
  ['Ubuntu', compareDpkg],
  ['Go', compareSemver],
  ['crates.io', compareSemver],
  ['npm', compareSemver],
  ['Maven', compareMaven],
  ['PyPI', comparePypi],
  ['RubyGems', compareRubyGems],
])

/** Returns the order of versions of an ecosystem such as `Debian:12`; undefined for an ecosystem that is not known. */
export function versionOrder(ecosystem: string): VersionOrder | undefined {
  const [name = ''] = ecosystem.split(':', 1)
  return orders.get(name)
}
