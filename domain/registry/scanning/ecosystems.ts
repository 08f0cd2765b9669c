import { PackageURL } from 'packageurl-js'
import type { FoundPackage } from './inventory.ts'
import type { OperatingSystem } from './sources/os-release.ts'
import type { PackageKind, SourcePackage } from './sources/source-package.ts'

/** Where a package was found. */
export interface Place {
  readonly path: string
  readonly layer_digest: string
}

/** The ecosystems of packages of languages, as OSV writes them. */
const languages: Readonly<Partial<Record<PackageKind, string>>> = {
  gem: 'RubyGems',
  golang: 'Go',
  maven: 'Maven',
  npm: 'npm',
  pypi: 'PyPI',
}

/** The distributions that OSV has, and the form in which it writes their versions; they are keyed by the id of os-release. */
const distributions: Readonly<Record<string, (version: string) => string>> = {
  alpaquita: version => `Alpaquita:${firstNumbers(version, 1)}`,
  alpine: version => `Alpine:v${firstNumbers(version, 2)}`,
  chainguard: () => 'Chainguard',
  debian: version => `Debian:${firstNumbers(version, 1)}`,
  minimos: () => 'MinimOS',
  ubuntu: version => `Ubuntu:${version}${isLongTerm(version) ? ':LTS' : ''}`,
  wolfi: () => 'Wolfi',
}

const firstNumbers = (version: string, count: number): string => version.split('.').slice(0, count).join('.')

/** Returns whether a version of Ubuntu has long-term support: those of April in even years have it. */
const isLongTerm = (version: string): boolean => /^\d*[02468]\.04$/.test(version)

/** The distributions that have no versions. */
const rolling: readonly string[] = ['chainguard', 'minimos', 'wolfi']

/** Returns the ecosystem in which OSV has advisories about the packages of an operating system; undefined if it has none. */
export function osvDistribution({ id, version }: OperatingSystem): string | undefined {
  if (!Object.hasOwn(distributions, id) || (version === '' && !rolling.includes(id))) return undefined
  return distributions[id]?.(version)
}

/**
 * Returns the ecosystem of the packages of an operating system. For a system about which OSV has no advisories, this is the
 * id and the version, such as `kali:2026.3`, to which no advisory belongs.
 */
const distributionOf = (os: OperatingSystem | undefined): string =>
  os === undefined ? 'unknown' : (osvDistribution(os) ?? [os.id, os.version].filter(text => text !== '').join(':'))

/** Describes a package that was found in an image; undefined if the package URL of its kind cannot name it. */
export function describe(
  found: SourcePackage,
  os: OperatingSystem | undefined,
  place: Place,
): FoundPackage | undefined {
  const { kind, name, source, version } = found
  const purl = purlOf(found, os)
  if (purl === undefined) return undefined
  const ecosystem = languages[kind] ?? distributionOf(os)
  return { ecosystem, name, version, ...(source !== undefined && { source }), purl, ...place }
}

function purlOf(found: SourcePackage, os: OperatingSystem | undefined): string | undefined {
  const { kind, version } = found
  const { name, namespace, qualifiers } = purlParts(found, os)
  try {
    return new PackageURL(
      kind,
      namespace,
      name,
      kind === 'golang' && name !== 'stdlib' ? `v${version}` : version,
      qualifiers,
      undefined,
    ).toString()
  } catch {
    return undefined
  }
}

interface PurlParts {
  readonly namespace: string | undefined
  readonly name: string
  readonly qualifiers?: Record<string, string> | undefined
}

function purlParts({ architecture, kind, name }: SourcePackage, os: OperatingSystem | undefined): PurlParts {
  switch (kind) {
    case 'apk':
    case 'deb': {
      const distro = os === undefined || os.version === '' ? undefined : `${os.id}-${os.version}`
      const qualifiers = { ...(architecture && { arch: architecture }), ...(distro && { distro }) }
      return { namespace: os?.id, name, qualifiers }
    }
    case 'maven': {
      const [group, artifact = ''] = name.split(':')
      return { namespace: group, name: artifact }
    }
    case 'golang':
    case 'npm': {
      const slash = name.lastIndexOf('/')
      return { namespace: slash < 0 ? undefined : name.slice(0, slash), name: name.slice(slash + 1) }
    }
    case 'gem':
    case 'pypi':
      return { namespace: undefined, name }
  }
}
