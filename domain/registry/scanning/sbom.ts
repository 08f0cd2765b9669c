import { nextTurn } from '../../resources/next-turn.ts'
import { ComponentType } from '@cyclonedx/cyclonedx-library/Enums'
import { Bom, Component, Metadata, Property, PropertyRepository } from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Cyclonedx } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import { PackageURL } from 'packageurl-js'
import type { FoundPackage, Inventory } from './inventory.ts'

/** The format of the bills of materials, as reports name it. */
export const sbomFormat = 'CycloneDX 1.6'

/** The image and the scan that a bill of materials is about. */
export interface SbomSubject {
  /** The image without a tag or a digest: `registry.example.com/acme/prod/api`. */
  readonly uri: string
  readonly digest: string
  /** The time of the scan in milliseconds since 1970. */
  readonly timeMs: number
  readonly scanner: { readonly name: string; readonly version: string }
}

/** The components that are written before other work gets a turn, which take one or two milliseconds. */
const batchSize = 50

const normalizers = new Cyclonedx.Normalize.Factory(Spec1dot6)
const components = normalizers.makeForComponent()
const options = { sortLists: false }

/**
 * Returns the bill of materials of an image as JSON in UTF-8, in pieces of some 25 KB: as a whole, it can have more than 100
 * MB. Yields to other work in between. The same inventory and subject give the same bytes. Throws the reason of `signal`
 * once it is aborted.
 */
export async function sbomOf(
  inventory: Inventory,
  subject: SbomSubject,
  signal: AbortSignal,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const head = JSON.stringify(headOf(inventory, subject))
  const pieces = [Buffer.from(`${head.slice(0, -1)},"components":[`)]
  const references = new Map<string, number>()
  let comma = ''
  if (inventory.os !== undefined) {
    pieces.push(Buffer.from(textOf(systemOf(inventory.os))))
    comma = ','
  }
  for (let start = 0; start < inventory.packages.length; start += batchSize) {
    const batch = inventory.packages.slice(start, start + batchSize)
    const texts = batch.map(found => textOf(componentOf(found, referenceOf(found, references))))
    pieces.push(Buffer.from(`${comma}${texts.join(',')}`))
    comma = ','
    await nextTurn()
    signal.throwIfAborted()
  }
  pieces.push(Buffer.from(']}\n'))
  return pieces
}

/** Returns the bill of materials without its components. */
function headOf({ unsupported }: Inventory, subject: SbomSubject): object {
  const { digest, scanner, timeMs, uri } = subject
  const purl = new PackageURL(
    'oci',
    undefined,
    uri.slice(uri.lastIndexOf('/') + 1),
    digest,
    { repository_url: uri },
    undefined,
  )
  const image = new Component(ComponentType.Container, uri, {
    bomRef: purl.toString(),
    purl: purl.toString(),
    version: digest,
  })
  const properties = unsupported.map(source => new Property('ninefold:unsupported_source', source))
  const metadata = new Metadata({
    timestamp: new Date(timeMs),
    component: image,
    properties: new PropertyRepository(properties),
  })
  metadata.tools.components.add(new Component(ComponentType.Application, scanner.name, { version: scanner.version }))
  // The components follow, and nothing is known about their dependencies.
  return {
    ...normalizers.makeForBom().normalize(new Bom({ metadata }), options),
    components: undefined,
    dependencies: undefined,
  }
}

const systemOf = ({ id, version }: NonNullable<Inventory['os']>): Component =>
  new Component(ComponentType.OperatingSystem, id, { bomRef: `os:${id}`, ...(version !== '' && { version }) })

function componentOf({ layer_digest, name, path, purl, version }: FoundPackage, bomRef: string): Component {
  const [group, rest] = groupOf(purl, name)
  const properties = new PropertyRepository([
    new Property('ninefold:layer_digest', layer_digest),
    new Property('ninefold:path', path),
  ])
  return new Component(ComponentType.Library, rest, {
    bomRef,
    version,
    purl,
    properties,
    ...(group !== undefined && { group }),
  })
}

/** Returns the group and the name of a package: of Maven and npm, names have both. */
function groupOf(purl: string, name: string): readonly [group: string | undefined, name: string] {
  const separator = purl.startsWith('pkg:maven/') ? ':' : purl.startsWith('pkg:npm/') ? '/' : undefined
  const at = separator === undefined ? -1 : name.indexOf(separator)
  return at < 1 ? [undefined, name] : [name.slice(0, at), name.slice(at + 1)]
}

/** Returns a reference that is unique in the bill: the package URL, with a number if the package was found before. */
function referenceOf({ purl }: FoundPackage, references: Map<string, number>): string {
  const count = (references.get(purl) ?? 0) + 1
  references.set(purl, count)
  return count === 1 ? purl : `${purl}#${count}`
}

const textOf = (component: Component): string => JSON.stringify(components.normalize(component, options))
