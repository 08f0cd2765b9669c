import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../generator/generation.ts'
import { readSources } from '../rules/source.ts'

test('docs/testing.md lists each environment variable that a test reads, and no other', () => {
  const page = readFileSync(join(repository, 'docs/testing.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
  const read = readSources(['test'], '.ts').flatMap(({ text }) =>
    [...text.matchAll(/process\.env\['((?:NINEFOLD|UPDATE)_\w+)'\]/g)].map(([, name]) => name),
  )
  expect(listed.toSorted()).toEqual([...new Set(read)].toSorted())
})
