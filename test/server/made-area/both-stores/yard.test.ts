import { setImmediate as turn } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { areaPlatform, type AreaPlatform, type WorkspaceCaller } from '../area-platform.ts'
import { boxes, notes } from '../yard-kinds.ts'
import { yardArea, type YardControl } from '../yard.ts'
import { afterTests } from '../../../undo.ts'

const control: YardControl = {}
const absent = '01900000-0000-7000-8000-0000000000ff'
let platform: AreaPlatform
let yard: WorkspaceCaller
let rack: string
let count = 0

beforeAll(async () => void (platform = await areaPlatform([yardArea(control)], afterTests)))
beforeEach(async () => {
  Object.assign(control, { isSealed: false, isProtected: false })
  yard = await platform.newWorkspace(`w-${(count += 1)}`)
  rack = await yard.made('racks', { name: 'oak' })
})

const store = () => {
  if (!control.store) throw new Error('the yard is not mounted')
  return control.store
}
const noted = async (what: string) => (await store().get(notes, `${what}/${yard.workspace}`)) !== undefined
const madeBox = (name = 'apples', more: object = {}) => yard.made('boxes', { name, rack_id: rack, ...more })

describe('a kind', () => {
  it('returns a row in its workspace only', async () => {
    const id = await madeBox('apples', { labels: { a: 'b' } })
    const box = await yard.call('GET', `boxes/${id}`)
    expect(box).toMatchObject({ id, workspace_id: yard.workspace, engine: 'native', labels: { a: 'b' }, state: 'OPEN' })
    expect(await yard.call('GET', 'boxes')).toMatchObject({ boxes: [box] })
    const missing = { reason: 'BOX_NOT_FOUND' }
    expect(await yard.call('GET', `boxes/${id}`, undefined, 'second')).toMatchObject(missing)
    const other = await platform.newWorkspace(`other-${count}`)
    expect(await other.call('GET', `boxes/${id}`)).toMatchObject(missing)
    expect(await platform.in(absent).call('GET', `boxes/${id}`)).toMatchObject({ reason: 'WORKSPACE_NOT_FOUND' })
  })

  it.each([
    ['an absent parent', absent, 'BOX_NOT_FOUND'],
    ['a child of another parent', 'other', 'TAG_NOT_FOUND'],
    ['a child', 'own', undefined],
  ])('responds to a read below %s', async (_, parent, reason) => {
    const own = await madeBox()
    const other = await madeBox('pears')
    const tag = await yard.made(`boxes/${own}/tags`, { name: 'red' })
    const box = { own, other, [absent]: absent }[parent]
    const answer = await yard.call('GET', `boxes/${box}/tags/${tag}`)
    expect(answer.reason).toBe(reason)
    if (reason === undefined) expect(answer).toMatchObject({ id: tag, box_id: own })
    expect((await yard.call('POST', `boxes/${absent}/tags`, { name: 'x' })).reason).toBe('BOX_NOT_FOUND')
    expect((await yard.call('GET', `boxes/${absent}/tags`)).reason).toBe('BOX_NOT_FOUND')
    expect(await yard.call('GET', `boxes/${other}/tags`)).toMatchObject({ tags: [] })
  })

  it('names the field whose reference is absent or in another workspace', async () => {
    const elsewhere = await platform.newWorkspace(`elsewhere-${count}`)
    const theirs = await elsewhere.made('racks', { name: 'oak' })
    for (const rack_id of [absent, theirs]) {
      expect(await yard.call('POST', 'boxes', { name: 'apples', rack_id })).toMatchObject({
        reason: 'RACK_NOT_FOUND',
        details: expect.arrayContaining([
          expect.objectContaining({ field_violations: [expect.objectContaining({ field: 'rack_id' })] }),
        ]),
      })
    }
    const onSecond = { name: 'pears', rack_id: rack }
    expect(await yard.call('POST', 'boxes', onSecond, 'second')).toMatchObject({ reason: 'RACK_NOT_FOUND' })
  })

  it('deletes rows without references', async () => {
    const id = await madeBox()
    expect(await yard.call('DELETE', `racks/${rack}`)).toMatchObject({
      reason: 'RACK_IN_USE',
      details: expect.arrayContaining([
        expect.objectContaining({ violations: [{ type: 'yard.boxes', subject: rack, description: '1 left' }] }),
      ]),
    })
    await yard.call('DELETE', `boxes/${id}`)
    expect(await yard.call('DELETE', `racks/${rack}`)).not.toHaveProperty('reason')
  })

  it('changes by its fields, with a current etag, and in a state that allows the change', async () => {
    const id = await madeBox()
    const { etag } = await yard.call('GET', `boxes/${id}`)
    const changed = { name: 'apples', labels: { a: 'b' }, etag }
    expect(await yard.call('PATCH', `boxes/${id}`, { ...changed, name: 'pears' })).toMatchObject({
      reason: 'FIELD_IMMUTABLE',
    })
    await yard.call('PATCH', `boxes/${id}`, changed)
    expect(await yard.call('GET', `boxes/${id}`)).toMatchObject({ labels: { a: 'b' } })
    expect(await yard.call('PATCH', `boxes/${id}`, changed)).toMatchObject({ reason: 'ETAG_MISMATCH' })
  })

  it('checks existence, etag, workspace and state in this order', async () => {
    const id = await madeBox()
    await yard.call('POST', `boxes/${id}:seal`)
    await expect.poll(() => yard.call('GET', `boxes/${id}`)).toMatchObject({ state: 'SEALED' })
    const { client, organisation } = platform
    await client.suspendWorkspace({ organisation, id: yard.workspace, body: {} })
    const update = (path: string, etag: string) =>
      yard.call('PATCH', path, { name: 'apples', labels: { a: 'b' }, etag })
    const { etag } = await yard.call('GET', `boxes/${id}`)
    expect((await update(`boxes/${absent}`, 'stale')).reason).toBe('BOX_NOT_FOUND')
    expect((await update(`boxes/${id}`, 'stale')).reason).toBe('ETAG_MISMATCH')
    expect((await update(`boxes/${id}`, String(etag))).reason).toBe('WORKSPACE_NOT_ACTIVE')
    expect((await yard.call('POST', `boxes/${id}:seal`)).reason).toBe('WORKSPACE_NOT_ACTIVE')
    await client.resumeWorkspace({ organisation, id: yard.workspace, body: {} })
    expect(await yard.call('POST', `boxes/${id}:seal`)).toMatchObject({
      reason: 'BOX_STATE_INVALID',
      details: expect.arrayContaining([expect.objectContaining({ metadata: { current: 'SEALED', allowed: 'OPEN' } })]),
    })
  })

  it('keeps its state at a verb without a next state', async () => {
    const id = await madeBox()
    expect(await yard.call('POST', `boxes/${id}:shake`)).not.toHaveProperty('reason')
    expect(await yard.call('GET', `boxes/${id}`)).toMatchObject({ state: 'OPEN' })
  })
})

describe('engines and admission', () => {
  it('admit calls of every engine of the area', async () => {
    const answer = await yard.call('POST', 'racks', { name: 'ash' }, 'second')
    expect(answer).not.toHaveProperty('reason')
    expect(await yard.call('POST', 'racks', {}, 'second')).toMatchObject({ reason: 'FIELD_INVALID' })
  })

  it('respond before the body is read, and after the caller is known', async () => {
    expect(await yard.call('POST', 'racks', {}, 'third')).toMatchObject({ reason: 'ENGINE_NOT_FOUND', code: 5 })
    control.isSealed = true
    expect(await yard.call('POST', 'racks', {}, 'third')).toMatchObject({ reason: 'ENGINE_NOT_FOUND' })
    expect(await yard.call('POST', 'racks', {})).toMatchObject({ reason: 'YARD_SEALED' })
    const path = `/yard/v1/workspaces/${yard.workspace}/engines/third/racks`
    const unknown = await platform.fetch(path, { method: 'POST', body: '{}', headers: {} })
    expect(unknown.status).toBe(401)
  })
})

describe('the rest of a declaration', () => {
  it('leaves an optional need without a provider undefined', async () => {
    expect(await yard.call('POST', 'racks', { name: 'ash', region: 'nowhere' })).not.toHaveProperty('reason')
  })

  it('creates its rows at the first start, and runs its workers', async () => {
    expect(await store().get(notes, 'started/')).toBeDefined()
    await expect.poll(async () => (await store().get(notes, 'swept/')) !== undefined).toBe(true)
  })

  it('ends an operation by its procedure', async () => {
    const id = await madeBox()
    await yard.call('POST', `boxes/${id}:seal`)
    await expect.poll(() => yard.call('GET', `boxes/${id}`)).toMatchObject({ state: 'SEALED' })
  })

  it('serves its planes, whose catch-all path contains slashes', async () => {
    const answer = await platform.fetch('/v2/a/b/blobs/uploads/1', { method: 'PUT', body: 'abc' })
    expect([answer.status, answer.headers.get('location')]).toEqual([201, '/v2/a/b/blobs/3'])
  })

  it('reports a missing operation as not implemented', async () => {
    const answer = await platform.fetch(`/yard/v1/cranes/${absent}`)
    expect([answer.status, await answer.json()]).toMatchObject([501, { message: /getCrane/ }])
    expect(yardArea().built).toEqual(['racks', 'boxes', 'tags'])
  })
})

describe('the end of a workspace', () => {
  it('is reported to the area', async () => {
    expect(await noted('born')).toBe(true)
    await platform.client.suspendWorkspace({ organisation: platform.organisation, id: yard.workspace, body: {} })
    await expect.poll(() => noted('SUSPENDED')).toBe(true)
  })

  it('is refused while kinds or hooks protect it or have resources in it', async () => {
    await madeBox()
    const { client, organisation } = platform
    const id = yard.workspace
    await client.waitOperation(await client.archiveWorkspace({ organisation, id, body: {} }))
    const held = await client.deleteWorkspace({ organisation, id }).catch((error: unknown) => error)
    expect(held).toMatchObject({
      details: {
        precondition: expect.arrayContaining(
          ['yard.racks', 'yard.boxes', 'yard.notes'].map(type => expect.objectContaining({ type })),
        ),
      },
    })
    expect(JSON.stringify(held)).not.toContain('yard.tags')
    control.isProtected = true
    await expect(client.deleteWorkspace({ organisation, id, force: true })).rejects.toMatchObject({
      message: expect.stringMatching(/protect/),
    })
  })

  it('purges 2,000 rows in batches, between which other requests are served', async () => {
    const id = await madeBox('first')
    const first = (await store().get(boxes, id))?.value
    if (!first) throw new Error('the box has not been created')
    await store().tx(async tx => {
      for (let i = 0; i < 2000; i += 1) {
        const number = `box-${String(i).padStart(4, '0')}`
        await tx.insert(boxes, { ...first, id: number, name: number })
      }
    })
    const seen = new Set<number>()
    const progress = { isGone: false }
    const purge = platform.purge(yard.workspace).finally(() => (progress.isGone = true))
    const where = { workspace_id: yard.workspace }
    while (!progress.isGone) {
      await turn()
      seen.add(await store().count(boxes, where))
      expect(await platform.client.getOrganisation({ id: platform.organisation })).toMatchObject({ name: 'acme' })
    }
    await purge
    expect(seen).toContain(0)
    expect([...seen].filter(left => left > 0 && left < 2001).length).toBeGreaterThan(1)
    expect(await store().get(notes, `purged ${yard.workspace}/`)).toBeDefined()
  })
})
