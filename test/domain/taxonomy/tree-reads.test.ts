import { describe, expect, it } from 'vitest'
import type { Reader } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import { groups } from '../../../domain/taxonomy/nodes.ts'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { lockTree } from '../../../domain/taxonomy/tree-lock.ts'
import { TreeReads } from '../../../domain/taxonomy/tree-reads.ts'
import { newWorkspace } from '../../../domain/taxonomy/workspaces.ts'
import type { SqliteStore } from '../../../server/store/sqlite.ts'
import { testStore } from '../../server/store/harness.ts'

const time = '2026-01-01T00:00:00.000Z'

/** An organisation with groups at its top, called by their names. */
async function organisationWith(store: SqliteStore, id: string, names: readonly string[]): Promise<void> {
  const settable = { name: id, display_name: '', description: '', contact_email: '', labels: {} }
  await store.tx(async tx => {
    await insertOrganisation(tx, newOrganisation(id, time, settable))
    for (const name of names) {
      const under = { organisation_id: id, parent_group_id: '', name, display_name: '', description: '', labels: {} }
      await tx.insert(groups, newWorkspace(`${id}-${name}`, time, under))
    }
  })
}

/** The store, which notes what is read of groups. */
function noting(store: SqliteStore): { readonly reader: Reader; readonly notes: string[] } {
  const notes: string[] = []
  const reader = new Proxy(store, {
    get(target, name) {
      if (name === 'above' || name === 'each') notes.push(name)
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { reader, notes }
}

const change = (store: SqliteStore, id: string): Promise<unknown> => store.tx(tx => lockTree(tx, id))

describe('a read of a tree', () => {
  it('uses what the read before has found, until the tree changes', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a', 'b'])
    const { notes, reader } = noting(store)
    const reads = new TreeReads(reader)
    const depthOf = (id: string) => reads.read('acme', async tree => (await tree.at([id])).get(id)?.depth)
    expect([await depthOf('acme-a'), await depthOf('acme-a'), await depthOf('')]).toEqual([1, 1, 0])
    expect(notes).toEqual(['above'])
    await change(store, 'acme')
    expect([await depthOf('acme-a'), await depthOf('acme-a')]).toEqual([1, 1])
    expect(notes).toEqual(['above', 'above'])
    const all = () => reads.read('acme', async tree => [...(await tree.all()).keys()].sort())
    expect([await all(), await all()]).toEqual([
      ['', 'acme-a', 'acme-b'],
      ['', 'acme-a', 'acme-b'],
    ])
    expect(notes).toEqual(['above', 'above', 'each'])
  })

  it('is run again when the tree changes under it, and answers what fits together', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a'])
    const reads = new TreeReads(store)
    const versions: number[] = []
    const read = () =>
      reads.read('acme', async tree => {
        versions.push(tree.version)
        if (versions.length === 2) await change(store, 'acme')
        return tree.version
      })
    expect(await read()).toBe(1)
    expect(await read()).toBe(2)
    expect(versions).toEqual([1, 1, 2])
  })

  it('is run again when what it found hangs under nothing', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a'])
    let runs = 0
    const read = () => new TreeReads(store).read('acme', async () => ((runs += 1) < 3 ? undefined : 'found'))
    expect(await read()).toBe('found')
    expect(runs).toBe(3)
  })

  it('gives up when the tree changes all the time', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', [])
    const read = new TreeReads(store).read('acme', async () => change(store, 'acme'))
    await expect(read).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE', rpc: 'UNAVAILABLE' })
  })

  it('passes on what it throws, and keeps nothing of an organisation that is not there', async () => {
    const store = await testStore(...taxonomyCollections)
    const reads = new TreeReads(store)
    await expect(reads.read('acme', async () => 1)).rejects.toMatchObject({ reason: 'ORGANISATION_NOT_FOUND' })
    await organisationWith(store, 'acme', [])
    const failure = new Error('not today')
    await expect(reads.read('acme', () => Promise.reject(failure))).rejects.toBe(failure)
    expect(await reads.read('acme', async () => 1)).toBe(1)
  })

  it('holds a bounded part of all trees, the one last read for longest', async () => {
    const store = await testStore(...taxonomyCollections)
    const names = Array.from({ length: 6000 }, (_, i) => `g-${i}`)
    for (const id of ['one', 'two']) await organisationWith(store, id, names)
    const { notes, reader } = noting(store)
    const reads = new TreeReads(reader)
    const sizes: number[] = []
    for (const id of ['one', 'one', 'two', 'two', 'one']) {
      const before = notes.length
      await reads.read(id, async tree => (await tree.all()).size)
      sizes.push(notes.length - before)
    }
    expect(sizes).toEqual([1, 0, 1, 0, 1])
  })
})
