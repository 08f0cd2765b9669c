import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { newFolder, removeFolder, repository } from '../generator/generation.ts'
import { typeCheck } from '../generator/type-check.ts'
import { areaPlatform, type AreaPlatform, type WorkspaceCaller } from '../server/made-area/area-platform.ts'
import { exampleArea, writeExample } from './depot/example-area.ts'
import { afterTests } from '../undo.ts'

const page = readFileSync(join(repository, 'docs/domain.md'), 'utf8')

/**
 * The code blocks of the page, keyed by the file that their first line names; a name without a folder lies in
 * `domain/depot`.
 */
const blocks = new Map(
  [...page.matchAll(/^```ts\n\/\/ ([\w/-]+\.ts)\n(.*?)^```$/gms)].map(([, file = '', text = '']) => [
    file.includes('/') ? file : `domain/depot/${file}`,
    text,
  ]),
)

const folder = newFolder()
beforeAll(() => writeExample(folder, blocks))
afterAll(() => removeFolder(folder))

test('every block of TypeScript names its file', () => {
  expect(blocks.size).toBeGreaterThan(10)
  expect(blocks.size).toBe([...page.matchAll(/^```ts$/gm)].length)
})

test('the examples are sound TypeScript in the place of an area', () => {
  expect(typeCheck(folder)).toBe('')
})

describe('the area of the page', () => {
  let platform: AreaPlatform
  let depot: WorkspaceCaller
  let shelf: string
  const crateOf = (name: string, more: object = {}) => ({
    name,
    region: 'local1',
    shelf_id: shelf,
    weight: 20,
    ...more,
  })
  const madeCrate = (name: string) => depot.made('crates', crateOf(name))
  const bytesUsed = () => platform.usage('storage.bytes')

  beforeAll(async () => void (platform = await areaPlatform([await exampleArea(folder)], afterTests)))
  beforeEach(async context => {
    depot = await platform.newWorkspace(`w-${context.task.id.replaceAll('_', '-')}`)
    shelf = await depot.made('shelves', { name: 'oak', room: 'cellar' })
  })
  afterEach(() => platform.purge(depot.workspace))

  it('creates, gets, lists and filters crates with the rooms of their shelves', async () => {
    const id = await depot.made('crates', crateOf('apples'))
    const crate = await depot.call('GET', `crates/${id}`)
    expect(crate).toMatchObject({ id, name: 'apples', state: 'DEPOT_CRATE_STATE_OPEN', room: 'cellar', labels: {} })
    expect(await depot.call('GET', 'crates?filter=room%3Dcellar')).toMatchObject({ crates: [crate] })
    expect(await depot.call('GET', 'crates?filter=room%3Dattic')).toEqual({ crates: [], next_page_token: '' })
  })

  it('changes a crate with a current etag, and counts the difference against its quota', async () => {
    const id = await madeCrate('apples')
    const { etag } = await depot.call('GET', `crates/${id}`)
    const update = { weight: 25, etag }
    expect(await depot.call('PATCH', `crates/${id}?update_mask=weight`, update)).not.toHaveProperty('reason')
    expect(await depot.call('PATCH', `crates/${id}?update_mask=weight`, update)).toMatchObject({
      reason: 'ETAG_MISMATCH',
    })
    expect(await depot.call('GET', `crates/${id}`)).toMatchObject({ weight: 25 })
    expect(await bytesUsed()).toBe(25)
  })

  it('seals an open crate by its procedure, but no crate twice', async () => {
    const id = await madeCrate('apples')
    expect(await depot.call('POST', `crates/${id}:seal`)).toMatchObject({ status: 'DEPOT_OPERATION_STATUS_PENDING' })
    await expect
      .poll(() => depot.call('GET', `crates/${id}`))
      .toMatchObject({ state: 'DEPOT_CRATE_STATE_SEALED', weight: 20 })
    expect(await depot.call('POST', `crates/${id}:seal`)).toMatchObject({ reason: 'CRATE_STATE_INVALID' })
    expect(await depot.call('PATCH', `crates/${id}?update_mask=weight`, { weight: 1 })).toMatchObject({
      reason: 'CRATE_STATE_INVALID',
    })
  })

  it('refuses to delete a shelf with crates, and names their number', async () => {
    await madeCrate('apples')
    await madeCrate('pears')
    expect(await depot.call('DELETE', `shelves/${shelf}`)).toMatchObject({
      reason: 'SHELF_IN_USE',
      details: expect.arrayContaining([
        expect.objectContaining({ violations: [{ type: 'depot.crates', subject: shelf, description: '2 left' }] }),
      ]),
    })
  })

  it.each([
    ['a name that is taken', { name: 'taken' }, 'CRATE_ALREADY_EXISTS'],
    ['a shelf that is absent', { shelf_id: '0199c5a4-8f20-7d11-b0c3-7e9f10213243' }, 'SHELF_NOT_FOUND'],
    ['too much weight', { weight: 1001 }, 'CRATE_TOO_HEAVY'],
    ['a weight of no form', { weight: 'much' }, 'FIELD_INVALID'],
  ])('refuses %s', async (_, more, reason) => {
    await madeCrate('taken')
    expect(await depot.call('POST', 'crates', crateOf('apples', more))).toMatchObject({ reason })
  })

  it('has at most as many crates as the default limit', async () => {
    for (const name of ['a', 'b', 'c']) await madeCrate(name)
    expect(await depot.call('POST', 'crates', crateOf('d'))).toMatchObject({ reason: 'QUOTA_EXCEEDED' })
  })

  it('serves blobs to callers with its key and to callers of the platform', async () => {
    const path = '/depot-data/v1/some/thing'
    const opened = { headers: { 'x-depot-key': 'opener' } }
    const put = await platform.fetch(path, { method: 'PUT', body: 'abc', ...opened })
    expect([put.status, put.headers.get('x-size')]).toEqual([201, '3'])
    expect(await (await platform.fetch(path)).text()).toBe('abc')
    expect((await platform.fetch(path, { headers: { 'x-depot-key': 'other' } })).status).toBe(401)
    expect((await platform.fetch('/depot-data/v1/other', opened)).status).toBe(404)
  })

  it('purges a workspace, and returns the quota of its crates', async () => {
    await madeCrate('apples')
    await madeCrate('pears')
    expect(await bytesUsed()).toBe(40)
    await platform.purge(depot.workspace)
    expect(await depot.call('GET', 'crates')).toMatchObject({ reason: 'WORKSPACE_NOT_FOUND' })
    expect(await bytesUsed()).toBe(0)
    depot = await platform.newWorkspace('another')
  })
})
