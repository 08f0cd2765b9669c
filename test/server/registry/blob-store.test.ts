import { describe, expect, it } from 'vitest'
import { UploadChanged, type BlobStore, type StoredBytes } from '../../../domain/registry/blobs/blob-store.ts'
import type { Chunks } from '../../../runtime/media.ts'
import { allOf } from '../../all-of.ts'
import { digestOf } from '../../domain/registry/oci-client.ts'
import { outcomeOf } from '../../domain/outcomes.ts'
import { shared } from '../../shared.ts'
import { bucketStores, folderStores } from './tested-stores.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

async function* chunksOf(...texts: readonly (string | Error)[]): Chunks {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield bytesOf(text)
  }
}

const tooLong = (): Error => new Error('too long')
const appending = { algorithm: 'sha256', maxBytes: 100, tooLong } as const

const hexOf = (text: string, algorithm: 'sha256' | 'sha512' = 'sha256'): string =>
  digestOf(text, algorithm).slice(algorithm.length + 1)

const file = `blobs/sha256/ab/ab.1`

describe.each([
  ['a folder', folderStores],
  ['a bucket', bucketStores],
] as const)('over %s', (_, stores) => {
  const made = shared(stores)
  const newStore = () => made()()

  describe('an upload', () => {
    it('grows by the bytes of each call, at the position that a call says', async () => {
      const { store } = await newStore()
      expect(await store.sizeOf('one')).toBe(0)
      expect(await store.append('one', chunksOf('ab', '', 'c'), appending)).toEqual({ size: 3, isMisplaced: false })
      for (const first of [0, 2, 4])
        expect(await store.append('one', chunksOf('x'), { ...appending, first })).toEqual({
          size: 3,
          isMisplaced: true,
        })
      expect(await store.append('one', chunksOf('de'), { ...appending, first: 3 })).toEqual({
        size: 5,
        isMisplaced: false,
      })
      for (const none of [[], [''], ['', '']])
        expect(await store.append('one', chunksOf(...none), appending)).toEqual({ size: 5, isMisplaced: false })
      expect(await store.append('one', chunksOf('f'), appending)).toEqual({ size: 6, isMisplaced: false })
      expect(await store.seal('one', 'sha256')).toEqual({ hex: hexOf('abcdef'), size: 6 })
      expect(await store.seal('one', 'sha512')).toEqual({ hex: hexOf('abcdef', 'sha512'), size: 6 })
    })

    it.each(['sha256', 'sha512'] as const)('in one, two and three calls has its digest of %s', async algorithm => {
      const { next, store } = await newStore()
      for (const texts of [['abc'], ['ab', 'c'], ['a', 'b', 'c']])
        for (const last of [store, next()]) {
          const upload = `${texts.length}-${last === store}`
          for (const text of texts) await store.append(upload, chunksOf(text), { ...appending, algorithm })
          expect(await last.seal(upload, algorithm)).toEqual({ hex: hexOf('abc', algorithm), size: 3 })
        }
    })

    it('keeps the bytes before the failure of a body, and ends with its error', async () => {
      const { store } = await newStore()
      const failed = (...texts: readonly string[]) =>
        expect(store.append('one', chunksOf(...texts, new Error('the client left')), appending)).rejects.toThrow(
          'the client left',
        )
      await failed()
      expect(await store.sizeOf('one')).toBe(0)
      await failed('ab')
      expect(await store.sizeOf('one')).toBe(2)
      await store.append('one', chunksOf('c'), { ...appending, first: 2 })
      await failed('d', 'e')
      await failed()
      expect((await store.seal('one', 'sha256')).hex).toBe(hexOf('abcde'))
    })

    it('takes no further bytes once another call has ended it', async () => {
      const { store } = await newStore()
      await store.append('ended', chunksOf('ab'), appending)
      await store.append('ended', chunksOf('c'), { ...appending, isBegun: true })
      await store.discard('ended')
      const late = store.append('ended', chunksOf('late'), { ...appending, isBegun: true })
      await expect(late).rejects.toThrow(UploadChanged)
      expect(await store.sizeOf('ended')).toBe(0)
    })

    it('ends with an error beyond its limit', async () => {
      const { store } = await newStore()
      await store.append('one', chunksOf('a'.repeat(60)), appending)
      for (const texts of [['a'.repeat(41)], ['a'.repeat(40), 'a']])
        await expect(store.append('one', chunksOf(...texts), appending)).rejects.toThrow('too long')
      await expect(store.append('two', chunksOf('a'.repeat(101)), appending)).rejects.toThrow('too long')
    })

    it('goes on in another process, which reads the bytes before', async () => {
      const { next, store } = await newStore()
      await store.append('one', chunksOf('ab'), appending)
      const other = next()
      expect(await other.append('one', chunksOf('cd'), { ...appending, first: 2 })).toMatchObject({ size: 4 })
      expect(await other.seal('one', 'sha256')).toEqual({ hex: hexOf('abcd'), size: 4 })
      expect(await store.append('one', chunksOf('e'), appending)).toMatchObject({ size: 5 })
      expect(await store.seal('one', 'sha256')).toEqual({ hex: hexOf('abcde'), size: 5 })
    })

    it('takes concurrent calls one after the other', async () => {
      const { store } = await newStore()
      const calls = Array.from({ length: 20 }, () => store.append('one', chunksOf('abc', 'def'), appending))
      const ends = await Promise.allSettled(calls)
      const sizes = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value.size] : []))
      expect(sizes).toEqual(Array.from({ length: 16 }, (_none, i) => 6 * (i + 1)))
      expect(await store.sizeOf('one')).toBeGreaterThanOrEqual(96)
    })

    it('without any byte can be sealed and kept', async () => {
      const { store } = await newStore()
      expect(await store.seal('empty', 'sha256')).toEqual({ hex: hexOf(''), size: 0 })
      await store.keep('empty', file, 0)
      expect(await new Response((await store.open(file, 0))?.stream(0, -1)).text()).toBe('')
    })

    it('that is discarded has no byte', async () => {
      const { paths, store } = await newStore()
      for (const text of ['a', 'b', 'c']) await store.append('one', chunksOf(text), appending)
      await store.append('other', chunksOf('d'), appending)
      await store.discard('one')
      expect(await store.sizeOf('one')).toBe(0)
      expect((await paths()).length).toBe(1)
      await store.append('one', chunksOf('xy'), appending)
      expect(await store.seal('one', 'sha256')).toEqual({ hex: hexOf('xy'), size: 2 })
    })
  })

  describe('a blob', () => {
    it.each([['in one chunk', ['0123456789']] as const, ['in chunks', ['0', '123', '456789']] as const])(
      '%s is read in ranges, also after its deletion by those who have opened it',
      async (_chunks, texts) => {
        const { paths, store } = await newStore()
        for (const text of texts) await store.append('one', chunksOf(text), appending)
        await store.seal('one', 'sha256')
        await store.keep('one', file, 10)
        expect(await paths()).toEqual([file])
        const opened = await store.open(file, 10)
        const whole = await store.open(file, 10)
        await store.remove(file)
        expect(await paths()).toEqual([])
        expect(await new Response(opened?.stream(2, 4)).text()).toBe('234')
        expect(await new Response(whole?.stream(0, 9)).text()).toBe('0123456789')
        expect(await store.open(file, 10)).toBeUndefined()
        await store.remove(file)
      },
    )

    it.each([
      ['grew', (store: BlobStore) => store.append('one', chunksOf('4'), appending)],
      ['was cancelled', (store: BlobStore) => store.discard('one')],
      ['was kept', (store: BlobStore) => store.keep('one', `${file}0`, 4)],
    ])('is not made of an upload that %s since it was sealed', async (_change, change) => {
      for (const isElsewhere of [false, true]) {
        const { faults, next, paths, store } = await newStore()
        const other = isElsewhere ? next() : store
        await store.append('one', chunksOf('0123'), appending)
        const { size } = await store.seal('one', 'sha256')
        await other.seal('one', 'sha256')
        await change(other)
        await expect(store.keep('one', file, size)).rejects.toThrow(UploadChanged)
        expect(await paths()).not.toContain(file)
        expect(faults).toEqual([])
      }
    })

    it('of another size than its row says is no blob', async () => {
      const { store } = await newStore()
      await store.append('one', chunksOf('0123'), appending)
      await store.seal('one', 'sha256')
      await store.keep('one', file, 4)
      expect(await outcomeOf(store.open(file, 5))).toBe('ENGINE_UNAVAILABLE')
    })
  })

  describe('old bytes', () => {
    it('are found by the time of their last change', async () => {
      const { age, paths, store } = await newStore()
      const found = (): Promise<readonly StoredBytes[]> => allOf(store.olderThan(Date.now() - 3_600_000))
      expect(await found()).toEqual([])
      for (const upload of ['old', 'old', 'new', 'kept']) await store.append(upload, chunksOf('a'), appending)
      await store.seal('kept', 'sha256')
      await store.keep('kept', file, 1)
      for (const path of await paths()) if (!path.startsWith('uploads/new')) await age(path)
      expect(await found()).toHaveLength(2)
      expect(await found()).toEqual(expect.arrayContaining([{ upload: 'old' }, { file }]))
      await store.discard('old')
      expect(await found()).toEqual([{ file }])
    })
  })
})

describe('an upload in a bucket', () => {
  const made = shared(bucketStores)

  it.each(['sha256', 'sha512'] as const)(
    'that another server has discarded and begun again has the digest of %s of its new bytes',
    async algorithm => {
      for (const texts of [['abc'], ['ab', 'c'], ['a', 'b', 'c']]) {
        const { next, store } = await made()()
        for (const text of texts) await store.append('one', chunksOf(text), { ...appending, algorithm })
        const other = next()
        await other.discard('one')
        for (const text of texts) await other.append('one', chunksOf(text.toUpperCase()), { ...appending, algorithm })
        expect(await store.seal('one', algorithm)).toEqual({ hex: hexOf('ABC', algorithm), size: 3 })
      }
    },
  )

  it('to which two servers append at once takes the bytes of one of them', async () => {
    const { next, paths, store } = await made()()
    await store.append('one', chunksOf('a'), appending)
    const ends = await Promise.all(
      [store, next()].map((each, i) => each.append('one', chunksOf(`${i}`), { ...appending, first: 1 })),
    )
    expect(ends.map(({ isMisplaced }) => isMisplaced).toSorted()).toEqual([false, true])
    expect(ends.map(({ size }) => size)).toEqual([2, 2])
    const winner = ends.findIndex(({ isMisplaced }) => !isMisplaced)
    for (const each of [store, next()])
      expect(await each.seal('one', 'sha256')).toEqual({ hex: hexOf(`a${winner}`), size: 2 })
    expect(await paths()).toHaveLength(2)
  })
})
