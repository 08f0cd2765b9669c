import type { VulnerablePackage } from '../../../../output/registry/types.ts'
import type { FoundPackage } from '../inventory.ts'

/**
 * Returns the packages that advisories are about, in the order of the found packages: of a package with a source package
 * this one, and once for all packages of a file that are made from it.
 */
export function subjectsOf(packages: readonly FoundPackage[]): readonly VulnerablePackage[] {
  const subjects = new Map<string, VulnerablePackage>()
  for (const { ecosystem, layer_digest, name, path, purl, source, version } of packages) {
    const subject = { name, version, ...source, ecosystem, purl, path, layer_digest }
    const key = JSON.stringify([subject.ecosystem, subject.name, subject.version, path, layer_digest])
    if (!subjects.has(key)) subjects.set(key, subject)
  }
  return [...subjects.values()]
}
