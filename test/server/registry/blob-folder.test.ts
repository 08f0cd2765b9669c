import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UploadChanged, type StoredBytes } from '../../../domain/registry/blobs/blob-store.ts'
import type { Chunks } from '../../../runtime/media.ts'
import { BlobFolder } from '../../../server/registry/blob-folder.ts'
import { digestOf } from '../../domain/registry/oci-client.ts'
import { outcomeOf } from '../../domain/outcomes.ts'
import { testFolder } from '../store/harness.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

async function* chunksOf(...texts: readonly (string | Error)[]): Chunks {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield bytesOf(text)
  }
}

const tooLong = (): Error => new Error('too long')
const appending = { algorithm: 'sha256', maxBytes: 100, tooLong } as const

/** Makes a store in a folder of its own. */
function newStore() {
  const folder = join(testFolder(), 'registry')
  const faults: string[] = []
  return { folder, faults, store: new BlobFolder({ folder, report: ({ kind }) => void faults.push(kind) }) }
}

const hexOf = (text: string, algorithm: 'sha256' | 'sha512' = 'sha256'): string =>
  digestOf(text, algorithm).slice(algorithm.length + 1)

const file = `blobs/sha256/ab/ab.1`

describe('an upload', () => {
  it('grows by the bytes of each call, at the position that a call says', async () => {
    const { store } = newStore()
    expect(await store.sizeOf('one')).toBe(0)
    expect(await store.append('one', chunksOf('ab', 'c'), appending)).toEqual({ size: 3, isMisplaced: false })
    for (const first of [0, 2, 4])
      expect(await store.append('one', chunksOf('x'), { ...appending, first })).toEqual({ size: 3, isMisplaced: true })
    expect(await store.append('one', chunksOf('de'), { ...appending, first: 3 })).toEqual({
      size: 5,
      isMisplaced: false,
    })
    expect(await store.seal('one', 'sha256')).toEqual({ hex: hexOf('abcde'), size: 5 })
    expect(await store.seal('one', 'sha512')).toEqual({ hex: hexOf('abcde', 'sha512'), size: 5 })
  })

  it('keeps the bytes before the failure of a body, and ends with its error', async () => {
    const { store } = newStore()
    const cut = store.append('one', chunksOf('ab', new Error('the client left')), appending)
    await expect(cut).rejects.toThrow('the client left')
    expect(await store.sizeOf('one')).toBe(2)
    await store.append('one', chunksOf('c'), { ...appending, first: 2 })
    expect((await store.seal('one', 'sha256')).hex).toBe(hexOf('abc'))
  })

  it('ends with an error beyond its limit', async () => {
    const { store } = newStore()
    await store.append('one', chunksOf('a'.repeat(60)), appending)
    await expect(store.append('one', chunksOf('a'.repeat(41)), appending)).rejects.toThrow('too long')
  })

  it('goes on in another process, which reads the bytes before', async () => {
    const { folder, store } = newStore()
    await store.append('one', chunksOf('ab'), appending)
    const next = new BlobFolder({ folder, report: () => {} })
    expect(await next.append('one', chunksOf('cd'), { ...appending, first: 2 })).toMatchObject({ size: 4 })
    expect(await next.seal('one', 'sha256')).toEqual({ hex: hexOf('abcd'), size: 4 })
  })

  it('takes concurrent calls one after the other', async () => {
    const { store } = newStore()
    const calls = Array.from({ length: 20 }, () => store.append('one', chunksOf('abc', 'def'), appending))
    const sizes = (await Promise.allSettled(calls)).flatMap(end => (end.status === 'fulfilled' ? [end.value.size] : []))
    expect(sizes).toEqual(Array.from({ length: 16 }, (_, i) => 6 * (i + 1)))
    expect(await store.sizeOf('one')).toBeGreaterThanOrEqual(96)
  })

  it('without any byte can be sealed', async () => {
    const { store } = newStore()
    expect(await store.seal('empty', 'sha256')).toEqual({ hex: hexOf(''), size: 0 })
  })
})

describe('a blob', () => {
  it('is read in ranges, also after its deletion by those who have opened it', async () => {
    const { folder, store } = newStore()
    await store.append('one', chunksOf('0123456789'), appending)
    await store.seal('one', 'sha256')
    await store.keep('one', file, 10)
    expect(readdirSync(join(folder, 'uploads'))).toEqual([])
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    const opened = await store.open(file, 10)
    await store.remove(file)
    expect(existsSync(join(folder, file))).toBe(false)
    expect(await new Response(opened?.stream(2, 4)).text()).toBe('234')
    expect(await store.open(file, 10)).toBeUndefined()
    await store.remove(file)
  })

  it.each([
    ['grew', (store: BlobFolder) => store.append('one', chunksOf('4'), appending)],
    ['was cancelled', (store: BlobFolder) => store.discard('one')],
    ['was kept', (store: BlobFolder) => store.keep('one', `${file}0`, 4)],
  ])('is not made of an upload that %s since it was sealed', async (_, change) => {
    const { faults, folder, store } = newStore()
    await store.append('one', chunksOf('0123'), appending)
    const { size } = await store.seal('one', 'sha256')
    await change(store)
    await expect(store.keep('one', file, size)).rejects.toThrow(UploadChanged)
    expect(existsSync(join(folder, file))).toBe(false)
    expect(faults).toEqual([])
  })

  it('of another size than its row says is no blob', async () => {
    const { faults, store } = newStore()
    await store.append('one', chunksOf('0123'), appending)
    await store.keep('one', file, 4)
    expect(await outcomeOf(store.open(file, 5))).toBe('ENGINE_UNAVAILABLE')
    expect(faults).toEqual(['lost'])
  })
})

describe('old bytes', () => {
  it('are found by the time of their last change', async () => {
    const { folder, store } = newStore()
    const found = async (): Promise<readonly StoredBytes[]> => {
      const old: StoredBytes[] = []
      for await (const bytes of store.olderThan(Date.now() - 1000)) old.push(bytes)
      return old
    }
    expect(await found()).toEqual([])
    for (const upload of ['old', 'new', 'kept']) await store.append(upload, chunksOf('a'), appending)
    await store.keep('kept', file, 1)
    for (const path of ['uploads/old', file]) utimesSync(join(folder, path), 1, 1)
    expect(await found()).toEqual(expect.arrayContaining([{ upload: 'old' }, { file }]))
    await store.discard('old')
    expect(await found()).toEqual([{ file }])
  })
})
