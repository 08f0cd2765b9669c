import type { Severity, VulnerabilitySummary } from '../../../../output/registry/types.ts'
import type { ScanParts } from '../../../../domain/registry/scans/scan-parts.ts'
import type { AdvisoryState, Finding } from '../../../../domain/registry/scanning/advisories.ts'
import { LayerFault, type FoundPackage } from '../../../../domain/registry/scanning/inventory.ts'
import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'
import { registryArea } from '../../../../server/registry/area.ts'
import { digestOf } from '../oci-client.ts'

/** An advisory of the made database. */
export interface MadeAdvisory {
  readonly id: string
  readonly package: string
  readonly severity: Severity
  readonly fixed?: string
  readonly aliases?: readonly string[]
}

/** The text of a layer that the made reader understands: the packages as `name@version`, joined by blanks. */
export const layerOf = (...packages: readonly string[]): string => `layer: ${packages.join(' ')}`

/**
 * A reader of layers and a database of advisories for tests of the calls around them. A layer of the text `layer: a@1 b@2`
 * has these packages; `bomb` unpacks to too much, and any other text is no layer.
 */
export class FakeScanner {
  /** The number of images that were read. */
  reads = 0
  /** Settles before each image is read. */
  gate: Promise<void> = Promise.resolve()
  /** Packages that are found in every image. */
  more: readonly string[] = []
  #state: AdvisoryState | undefined
  #advisories: readonly MadeAdvisory[] = []

  /** Loads advisories in place of those before; undefined for none. */
  load(advisories: readonly MadeAdvisory[] | undefined): void {
    this.#advisories = advisories ?? []
    this.#state = advisories && { version: 'Debian:12', timeMs: (this.#state?.timeMs ?? 1_700_000_000_000) + 1000 }
  }

  /** The parts of the scanner that this one replaces. */
  parts(): Partial<ScanParts> {
    return {
      layers: {
        read: async layers => {
          await this.gate
          this.reads += 1
          const found = [...packagesIn(layerOf(...this.more), '')]
          for (const { digest, open } of layers)
            found.push(...packagesIn(await new Response(await open()).text(), digest))
          return { os: { id: 'debian', version: '12' }, packages: found, unsupported: ['an rpm database'] }
        },
      },
      advisories: { state: () => this.#state, match: async packages => this.#match(packages) },
    }
  }

  /** The areas of a platform with this scanner. */
  areas(): readonly AreaModule[] {
    return areas.map(area => (area.domain.name === 'registry' ? registryArea(this.parts()) : area))
  }

  #match(packages: readonly FoundPackage[]): readonly Finding[] {
    return packages.flatMap(found =>
      this.#advisories.filter(advisory => advisory.package === found.name).map(advisory => findingOf(advisory, found)),
    )
  }
}

function packagesIn(text: string, layer_digest: string): readonly FoundPackage[] {
  if (text === 'bomb') throw new LayerFault('limit', 'the layers unpack to more than 4 GiB')
  if (!text.startsWith('layer: ')) throw new LayerFault('unreadable', `layer ${layer_digest} is no archive`)
  return text
    .slice('layer: '.length)
    .split(' ')
    .filter(part => part !== '')
    .map(part => {
      const [name = '', version = ''] = part.split('@')
      const purl = `pkg:deb/debian/${name}@${version}`
      return { ecosystem: 'Debian:12', name, version, purl, path: 'var/lib/dpkg/status', layer_digest }
    })
}

const findingOf = (
  { aliases = [], fixed, id, severity }: MadeAdvisory,
  { ecosystem, layer_digest, name, path, purl, version }: FoundPackage,
): Finding => ({
  id,
  aliases: [...aliases],
  severity,
  cvss: [],
  package: { name, version, ecosystem, purl, path, layer_digest },
  fixed_versions: fixed === undefined ? [] : [fixed],
  summary: '',
  references: [],
})

/** The numbers of a summary without the given ones. */
export const summaryOf = (counts: Partial<VulnerabilitySummary>): VulnerabilitySummary => ({
  critical: 0,
  high: 0,
  medium: 0,
  low: 0,
  none: 0,
  unknown: 0,
  fixable: 0,
  excepted: 0,
  ...counts,
})

/** The digest of the layer of a text. */
export const layerDigest = (text: string): string => digestOf(text)
