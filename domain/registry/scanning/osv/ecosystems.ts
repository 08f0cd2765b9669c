/** A package of an ecosystem, in the form in which advisories are stored and looked up. */
export interface PackageKey {
  readonly ecosystem: string
  readonly name: string
}

/** Returns the key of a package of an advisory. */
export const packageKey = (ecosystem: string, name: string): PackageKey => ({
  ecosystem: normalEcosystem(ecosystem),
  name: isPython(ecosystem) ? normalPython(name) : name,
})

/**
 * Returns the keys under which advisories about an installed package are stored: those of its ecosystem, and of a release
 * of a distribution also those of all releases.
 */
export function lookupKeys(ecosystem: string, name: string): readonly PackageKey[] {
  const key = packageKey(ecosystem, name)
  const [distribution = ''] = key.ecosystem.split(':', 1)
  return distribution === key.ecosystem ? [key] : [key, { ...key, ecosystem: distribution }]
}

/** Returns a version as the advisories of its ecosystem write it: those of Go have no `v` in front. */
export const writtenVersion = (ecosystem: string, version: string): string =>
  ecosystem === 'Go' ? version.replace(/^v(?=[0-9])/, '') : version

/** Long-term releases of Ubuntu are written with and without a mark: `Ubuntu:22.04:LTS`. */
const normalEcosystem = (ecosystem: string): string =>
  ecosystem.startsWith('Ubuntu:') ? ecosystem.replace(/:LTS$/, '') : ecosystem

const isPython = (ecosystem: string): boolean => ecosystem === 'PyPI'

/** The normal form of names of the Python Packaging User Guide, "Names and normalization". */
const normalPython = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')
