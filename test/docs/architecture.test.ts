import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { root } from '../rules/source.ts'
import { join } from 'node:path'

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The paths in code marks, for example `server/http/app.ts` and `domain/iam/feed/`. */
const paths = [...page.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].flatMap(match => match[1] ?? [])

describe('the map of the repository', () => {
  test.each([...new Set(paths)])('names %s, which exists', path => {
    expect(existsSync(join(root, path))).toBe(true)
  })

  it('names files of every folder that it lists', () => {
    expect(paths.length).toBeGreaterThan(40)
  })
})
