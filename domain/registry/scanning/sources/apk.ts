import { checkCount, readingOf, type Reading, type SourcePackage } from './source-package.ts'
import { stanzas } from './stanzas.ts'

/** The name, the version, the origin and the architecture; `p` is another field than `P`. */
const fields = new Set(['P', 'V', 'o', 'A'])

/** Reads the database of apk: `lib/apk/db/installed`. The origin is the source package; it has the same version. */
export function readApk(text: string): Reading {
  const found: SourcePackage[] = []
  for (const stanza of stanzas(text, fields)) {
    const [name = '', version = '', origin] = ['P', 'V', 'o'].map(field => stanza.get(field))
    if (name === '' && version === '') continue
    checkCount(found.length)
    const source = { name: origin === undefined || origin === '' ? name : origin, version }
    found.push({ kind: 'apk', name, version, source, architecture: stanza.get('A') })
  }
  return readingOf(found, 'apk database')
}
