import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { permissionBits } from '../../output/permission-bits.ts'
import { readTable } from './tables.ts'

it('every permission of the table has a bit, and no two have the same', () => {
  const kept = readFileSync(new URL('../../specs/permission-bits.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(permissionBits).toEqual(kept)
  expect(new Set(kept).size).toBe(kept.length)
  expect(kept).toEqual(expect.arrayContaining(readTable('permissions', ['key']).map(({ key }) => key)))
})
