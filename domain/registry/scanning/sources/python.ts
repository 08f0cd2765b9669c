import { nothing, readingOf, type Reading } from './source-package.ts'
import { stanzas } from './stanzas.ts'

const fields = new Set(['Name', 'Version'])

/** Reads the metadata of an installed Python package: `METADATA` or `PKG-INFO`. The description after the fields is left out. */
export function readPython(text: string): Reading {
  for (const stanza of stanzas(text.replace(/^\uFEFF/, ''), fields)) {
    const [name, version] = [stanza.get('Name'), stanza.get('Version')]
    if (name === undefined || version === undefined) return nothing
    return readingOf([{ kind: 'pypi', name: normalised(name), version }], 'metadata of a Python package')
  }
  return nothing
}

/** Returns the normalised name of a Python package (PEP 503). */
const normalised = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase()
