import { expect, it } from 'vitest'
import { keyringOf, workspace } from './keyrings.ts'

it('an item opens at its place on a second server with the same root key', async () => {
  const { open, store } = await keyringOf()
  const first = await open()
  const place = { workspace, type: 'vault.secretVersions', id: 'one', version: '1' }
  const wrapped = await store.tx(tx => first.wrap(tx, place, Buffer.from('hunter2')))
  const second = await open()
  expect((await second.unwrap(store, place, wrapped)).toString()).toBe('hunter2')
})
