import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { areas } from '../../server/areas.ts'
import { serverSettings } from '../../server/server-settings.ts'
import { declaredSettings, knownSettings } from '../../server/settings/declarations.ts'
import { repository } from '../generator/generation.ts'

const { byKey } = knownSettings([serverSettings, ...declaredSettings(areas)])

/** Returns the cells of each row of the table of settings. */
function documented(): string[][] {
  const page = readFileSync(join(repository, 'docs/operate.md'), 'utf8')
  const [, section = ''] = /^## Settings\n(.*?)^## /ms.exec(page) ?? []
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

const byName = ([a = '']: string[], [b = '']: string[]): number => (a < b ? -1 : 1)

test('docs/operate.md documents the default and the purpose of every setting, and no other setting', () => {
  const declared = [...byKey].map(([key, { description, words }]) => [`\`${key}\``, words, description])
  expect(documented().sort(byName)).toEqual(declared.sort(byName))
})

test('the purposes of settings fit into a table', () => {
  for (const [key, { description, words }] of byKey) {
    expect(description, key).toMatch(/^[^|\n]{10,}[^|\n.]$/)
    expect(words, key).not.toMatch(/[|\n]/)
  }
})
