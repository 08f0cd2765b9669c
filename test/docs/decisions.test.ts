import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../generator/generation.ts'

const folder = join(repository, 'docs/decisions')

test('decisions are numbered without gaps, in their names and their titles', () => {
  const files = readdirSync(folder).sort()
  const numbers = files.map(name => Number(/^(\d{4})-[a-z-]+\.md$/.exec(name)?.[1]))
  expect(numbers).toEqual(files.map((_, i) => i + 1))
  const titles = files.map(name => Number(/^# (\d+)\. /.exec(readFileSync(join(folder, name), 'utf8'))?.[1]))
  expect(titles).toEqual(numbers)
})
