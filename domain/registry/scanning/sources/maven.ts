import { nothing, readingOf, type Reading } from './source-package.ts'
import { lines } from './stanzas.ts'

/** Reads a file `pom.properties` of a jar. */
export function readPomProperties(text: string): Reading {
  const values = new Map<string, string>()
  for (const line of lines(text)) {
    const [, name, value] = /^\s*(groupId|artifactId|version)\s*[=:](.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) values.set(name, value.trim())
  }
  const [group, artifact, version] = ['groupId', 'artifactId', 'version'].map(name => values.get(name))
  if (group === undefined || artifact === undefined || version === undefined) return nothing
  return readingOf([{ kind: 'maven', name: `${group}:${artifact}`, version }], 'pom.properties')
}
