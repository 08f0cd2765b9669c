import { checkCount, readingOf, type Reading, type SourcePackage } from './source-package.ts'
import { stanzas } from './stanzas.ts'

const fields = new Set(['Architecture', 'Package', 'Source', 'Status', 'Version'])

/** The states of a package whose files are in place (dpkg(1)). */
const inPlace = new Set(['unpacked', 'half-configured', 'triggers-awaited', 'triggers-pending', 'installed'])

/** Reads the database of dpkg: `var/lib/dpkg/status`, or a file of `var/lib/dpkg/status.d`, which names no states. */
export function readDpkg(text: string): Reading {
  const found: SourcePackage[] = []
  for (const stanza of stanzas(text, fields)) {
    const [name, version, status] = ['Package', 'Version', 'Status'].map(field => stanza.get(field))
    if (status !== undefined && !inPlace.has(status.split(/\s+/).at(-1) ?? '')) continue
    if (name === undefined && version === undefined) continue
    checkCount(found.length)
    const source = sourceOf(stanza.get('Source') ?? name ?? '', version ?? '')
    found.push({
      kind: 'deb',
      name: name ?? '',
      version: version ?? '',
      source,
      architecture: stanza.get('Architecture'),
    })
  }
  return readingOf(found, 'dpkg database')
}

/** Returns the source package of a field `Source`: its name, and its version in brackets where it is another one. */
function sourceOf(field: string, version: string): { readonly name: string; readonly version: string } {
  const [, name, own] = /^(\S+)\s+\(([^()]*)\)$/.exec(field) ?? []
  return name === undefined || own === undefined ? { name: field, version } : { name, version: own.trim() }
}
