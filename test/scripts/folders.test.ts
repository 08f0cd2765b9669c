import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { notOnPostgres, onBothStores, onPostgresAlone } from '../../scripts/checks/test-folders.ts'

const isIn = (path: string, globs: readonly string[]): boolean => globs.some(glob => matchesGlob(path, glob))

function storesOf(path: string): string {
  const isAlone = isIn(path, onPostgresAlone)
  const isOnPostgres = (isAlone || isIn(path, onBothStores)) && !isIn(path, notOnPostgres)
  return [...(isAlone ? [] : ['sqlite']), ...(isOnPostgres ? ['postgres'] : [])].join()
}

it.each([
  ['test/domain/network/vpcs.test.ts', 'sqlite,postgres'],
  ['test/domain/network/deep/vpcs.test.ts', 'sqlite,postgres'],
  ['test/domain/network/one-store/cidr.test.ts', 'sqlite'],
  ['test/domain/network/sqlite/plans.test.ts', 'sqlite'],
  ['test/domain/network/postgres/plans.test.ts', 'postgres'],
  ['test/conformance/both-stores/network.test.ts', 'sqlite,postgres'],
  ['test/conformance/network.test.ts', 'sqlite'],
  ['test/server/http/both-stores/readiness.test.ts', 'sqlite,postgres'],
  ['test/server/http/mount.test.ts', 'sqlite'],
  ['test/server/operations/runner.test.ts', 'sqlite,postgres'],
  ['test/server/store/contract/reads.test.ts', 'sqlite,postgres'],
  ['test/server/store/postgres/faults.test.ts', 'postgres'],
  ['test/server/store/sqlite/growth.test.ts', 'sqlite'],
])('%s runs on %s, according to its folder', (path, stores) => {
  expect(storesOf(path)).toBe(stores)
})
