import type { VulnerablePackage } from '../../../../output/registry/types.ts'
import type { FoundPackage } from '../inventory.ts'

/**
 * Yields the packages that advisories are about, in the order of the found packages: of a package with a source package
 * this one, and once for all packages of a file that are made from it. Yields undefined in place of one that came before, so
 * that the caller may pause after each package.
 */
export function* subjectsOf(
  packages: readonly FoundPackage[],
): Generator<VulnerablePackage | undefined, void, undefined> {
  const seen = new Set<string>()
  for (const { ecosystem, layer_digest, name, path, purl, source, version } of packages) {
    const subject = { name, version, ...source, ecosystem, purl, path, layer_digest }
    const key = JSON.stringify([subject.ecosystem, subject.name, subject.version, path, layer_digest])
    yield seen.has(key) ? undefined : subject
    seen.add(key)
  }
}
