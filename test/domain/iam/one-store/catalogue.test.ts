import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogueOf } from '../../../../domain/iam/decisions/catalogue-of.ts'
import { permissionBits } from '../../../../output/permission-bits.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'

const [, ...rows] = readFileSync(new URL('../../../tables/permissions.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => line.split('\t'))

test('the catalogue equals the table in every permission', () => {
  const current = catalogue.permissions.filter(({ stage }) => stage !== 'RETIRED')
  const told = current.map(each => [
    each.id,
    each.access_class,
    each.scope_types.join(),
    String(each.deniable),
    String(each.policy_allowable),
    each.stage,
  ])
  expect(told).toEqual(rows.map(row => row.slice(0, 6)))
})

test('every permission has a description for people, within the limits of names', () => {
  for (const { description, display_name, id, stage } of catalogue.permissions) {
    if (stage === 'RETIRED') continue
    expect(display_name, id).toMatch(/^[A-Z].{3,127}$/)
    expect(description, id).toMatch(/^[A-Z][^]{5,1023}$/)
  }
})

test('every key has the bit of its place', () => {
  for (const [bit, key] of permissionBits.entries()) expect(catalogue.find(key)).toMatchObject({ id: key, bit })
})

const made = (key: string) =>
  ({ key, displayName: 'Does something', access: { class: 'READ', scopeTypes: ['WORKSPACE'] } }) as const

test('a key that no area declares any more is retired, and matches no pattern', () => {
  const small = catalogueOf([[made('a.things.get')]], ['a.things.gone', 'a.things.get'])
  expect(small.permissions.map(({ id, stage }) => [id, stage])).toEqual([
    ['a.things.get', 'GA'],
    ['a.things.gone', 'RETIRED'],
  ])
  expect(small.matching('*').map(({ id }) => id)).toEqual(['a.things.get'])
  expect(small.find('a.things.gone')).toMatchObject({ deniable: false, policy_allowable: false, scope_types: [] })
})

test('a key without a bit is a fault', () => {
  expect(() => catalogueOf([[made('a.things.get')]], [])).toThrow('a.things.get has no bit')
})

test.each([
  ['compute.vms.start', ['compute.vms.start']],
  ['vault.capsules.*', ['create', 'get', 'list', 'revoke'].map(verb => `vault.capsules.${verb}`)],
  ['compute.*', rows.map(([key = '']) => key).filter(key => key.startsWith('compute.'))],
  ['*', rows.map(([key = '']) => key)],
  ...['compute', 'compute.vm*', 'compute.vms', 'comp.*', '*.*', '*.vms.get', 'compute.vms.start.*', '', 'a b.*'].map(
    pattern => [pattern, []] as [string, string[]],
  ),
])('the pattern %j matches %j', (pattern, keys) => {
  expect(catalogue.matching(pattern).map(({ id }) => id)).toEqual(keys)
})

test('resource types are those of permissions', () => {
  expect(catalogue.resourceTypes.has('vault.secrets')).toBe(true)
  expect(catalogue.resourceTypes.has('vault.secret')).toBe(false)
})
