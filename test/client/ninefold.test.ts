import { beforeAll, expect, test } from 'vitest'
import { Ninefold } from '../../output/client.ts'
import { ApiError } from '../../runtime/errors.ts'
import { testPlatform } from '../areas/test-platform.ts'
import { afterTests } from '../undo.ts'

let ninefold: Ninefold

beforeAll(async () => {
  const platform = await testPlatform({ later: afterTests })
  ninefold = (await platform.admin()).api
})

const areas = Object.entries(Object.getOwnPropertyDescriptors(Ninefold.prototype)).flatMap(([name, { get }]) =>
  get ? [name] : [],
)

test('one client calls every area over one transport', async () => {
  const { filter_schemas: ofNetwork } = await ninefold.network.listFilterSchemas()
  const { filter_schemas: ofTaxonomy } = await ninefold.taxonomy.listFilterSchemas()
  expect(ofNetwork.map(({ resource }) => resource)).toContain('vpcs')
  expect(ofTaxonomy.map(({ resource }) => resource)).toContain('quotas')
  expect(areas).toEqual(expect.arrayContaining(['iam', 'network', 'taxonomy', 'vault']))
})

test('clients are made at their first use, and kept', () => {
  expect(ninefold.vault).toBe(ninefold.vault)
})

test('an operation that is not built yet rejects with its reason', async () => {
  const call = ninefold.network.listVpcs({ workspace: '0199c5a0-0c11-7d84-b6a9-2f3e4d5c6b70', engine: 'native' })
  await expect(call).rejects.toBeInstanceOf(ApiError)
})
