import { describe, expect, it } from 'vitest'
import type { Store } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import { answerable } from '../../../domain/taxonomy/tree/inherited-fields.ts'
import { groups, trees } from '../../../domain/taxonomy/tree/nodes.ts'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { lockTree } from '../../../domain/taxonomy/tree/tree-lock.ts'
import { TreeReads } from '../../../domain/taxonomy/tree/tree-reads.ts'
import { newChild } from '../../../domain/taxonomy/tree/new-child.ts'
import { workspacesList } from '../../../output/taxonomy/filters.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { collectGarbage } from '../../garbage.ts'
import { testStore } from '../../server/store/harness.ts'

const time = '2026-01-01T00:00:00.000Z'

/** Inserts an organisation with groups directly below it; the id of a group is `<organisation>-<name>`. */
async function organisationWith(store: ServerStore, id: string, names: readonly string[]): Promise<void> {
  const settable = { name: id, display_name: '', description: '', contact_email: '', labels: {} }
  await store.tx(async tx => {
    await insertOrganisation(tx, newOrganisation(id, time, settable))
    for (const name of names) {
      const under = { organisation_id: id, parent_group_id: '', name, display_name: '', description: '', labels: {} }
      await tx.insert(groups, newChild(`${id}-${name}`, time, under))
    }
  })
}

/** Wraps a store so that it records the reads of groups. */
function noting(noted: ServerStore): { readonly store: Store; readonly notes: string[] } {
  const notes: string[] = []
  const store = new Proxy(noted, {
    get(target, name) {
      if (name === 'above' || name === 'each') notes.push(name)
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { store, notes }
}

const firstPage = { size: 20, filter: undefined, after: undefined, now: 0 }

const change = (store: ServerStore, id: string): Promise<unknown> => store.tx(tx => lockTree(tx, id))

describe('a read of a tree', () => {
  it('uses the cached tree of the read before, until the tree changes', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a', 'b'])
    const { notes, store: noted } = noting(store)
    const reads = new TreeReads(noted)
    const depthOf = (id: string) => reads.read('acme', async tree => ({ answer: (await tree.at([id])).get(id)?.depth }))
    expect([await depthOf('acme-a'), await depthOf('acme-a'), await depthOf('')]).toEqual([1, 1, 0])
    expect(notes).toEqual(['above'])
    await change(store, 'acme')
    expect([await depthOf('acme-a'), await depthOf('acme-a')]).toEqual([1, 1])
    expect(notes).toEqual(['above', 'above'])
    const all = () => reads.read('acme', async tree => ({ answer: [...(await tree.all()).keys()].sort() }))
    expect([await all(), await all()]).toEqual([
      ['', 'acme-a', 'acme-b'],
      ['', 'acme-a', 'acme-b'],
    ])
    expect(notes).toEqual(['above', 'above', 'each'])
  })

  it('runs again when the tree changes during the read, and returns a consistent result', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a'])
    const reads = new TreeReads(store)
    const versions: number[] = []
    const read = () =>
      reads.read('acme', async tree => {
        versions.push(tree.version)
        if (versions.length === 2) await change(store, 'acme')
        return { answer: tree.version }
      })
    expect(await read()).toBe(1)
    expect(await read()).toBe(2)
    expect(versions).toEqual([1, 1, 2])
  })

  it('is repeated if a found node has no parent in the tree', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a'])
    let runs = 0
    const read = () =>
      new TreeReads(store).read('acme', async () => ({ answer: (runs += 1) < 3 ? undefined : 'found' }))
    expect(await read()).toBe('found')
    expect(runs).toBe(3)
  })

  it('reads a snapshot in the end if the tree changes all the time', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', [])
    const seen: (readonly [number, number | undefined])[] = []
    const read = new TreeReads(store).read('acme', async tree => {
      if (seen.length < 2) await change(store, 'acme')
      const before = await tree.reader.get(trees, 'acme')
      // The last read uses a snapshot, so the concurrent change does not affect it.
      const other = seen.length < 2 ? undefined : change(store, 'acme')
      await other
      seen.push([tree.version, (await tree.reader.get(trees, 'acme'))?.version])
      return { answer: before?.version }
    })
    expect(await read).toBe(3)
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 3],
    ])
  })

  it('fails with an internal error if a node has no parent in a snapshot', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', [])
    const read = new TreeReads(store).read('acme', async () => ({ answer: undefined }))
    await expect(read).rejects.toThrow('a node of organisation acme has no parent in its tree')
  })

  it('ignores concurrent reads, which may have read a later tree', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', ['a', 'b'])
    const reads = new TreeReads(store)
    await reads.read('acme', async tree => ({ answer: await tree.at(['acme-a']) }))
    const isKnown = await reads.read('acme', async tree => {
      await reads.read('acme', async other => ({ answer: await other.at(['acme-b']) }))
      return { answer: ['acme-a', 'acme-b'].map(id => tree.known.has(id)) }
    })
    expect(isKnown).toEqual([true, false])
    const after = await reads.read('acme', async tree => ({
      answer: ['acme-a', 'acme-b'].every(id => tree.known.has(id)),
    }))
    expect(after).toBe(true)
  })

  it('uses a statement that returns the version together with its rows', async () => {
    const store = await testStore(...taxonomyCollections)
    await organisationWith(store, 'acme', [])
    const reads = new TreeReads(store)
    const told = [7, 1]
    expect(await reads.read('acme', async () => ({ answer: 'found', version: told.shift() }))).toBe('found')
    expect(told).toEqual([])
  })

  it('rethrows its error, and caches nothing of an unknown organisation', async () => {
    const store = await testStore(...taxonomyCollections)
    const reads = new TreeReads(store)
    await expect(reads.read('acme', async () => ({ answer: 1 }))).rejects.toMatchObject({
      reason: 'ORGANISATION_NOT_FOUND',
    })
    await organisationWith(store, 'acme', [])
    const failure = new Error('not today')
    await expect(reads.read('acme', () => Promise.reject(failure))).rejects.toBe(failure)
    expect(await reads.read('acme', async () => ({ answer: 1 }))).toBe(1)
  })

  it('caches a limited part of all trees, recently read trees for longest', async () => {
    const store = await testStore(...taxonomyCollections)
    const names = Array.from({ length: 6000 }, (_, i) => `g-${i}`)
    for (const id of ['one', 'two']) await organisationWith(store, id, names)
    const { notes, store: noted } = noting(store)
    const reads = new TreeReads(noted)
    const sizes: number[] = []
    for (const id of ['one', 'one', 'two', 'two', 'one']) {
      const before = notes.length
      await reads.read(id, async tree => ({ answer: (await tree.all()).size }))
      sizes.push(notes.length - before)
    }
    expect(sizes).toEqual([1, 0, 1, 0, 1])
  })

  it('keeps nothing in memory of an evicted organisation, nor of the queries about it', async () => {
    const store = await testStore(...taxonomyCollections)
    const names = Array.from({ length: 6000 }, (_, i) => `g-${i}`)
    for (const id of ['one', 'two']) await organisationWith(store, id, names)
    const reads = new TreeReads(store)
    const query = { ...firstPage, order: checkOrder('effective_state', workspacesList) }
    const placesRead = (id: string) =>
      reads.read(id, async tree => {
        expect((await answerable(tree, query)).derived?.rows.length).toBeGreaterThan(names.length)
        return { answer: new WeakRef(await tree.all()) }
      })
    const [one, two] = [await placesRead('one'), await placesRead('two')]
    await collectGarbage()
    expect([one.deref(), two.deref()?.size]).toEqual([undefined, names.length + 1])
  })
})
