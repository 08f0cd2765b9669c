import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../../../server/registry/advisories/read-archive.ts'
import { testFolder } from '../../store/harness.ts'
import { makeZip } from './zip-maker.ts'

async function textsOf(bytes: Uint8Array): Promise<readonly (string | undefined)[]> {
  const file = join(testFolder(), 'all.zip')
  writeFileSync(file, bytes)
  const texts = []
  for await (const text of readArchive(file, 1000)) texts.push(text)
  return texts
}

const sound = makeZip([
  { name: 'a.json', content: '{"a":1}' },
  { name: 'b.json', content: 'é' },
])

/** Returns the archive with another byte in the header of its first file and in its entry of the directory. */
function changed(archive: Uint8Array, offset: number, value: number): Uint8Array {
  const bytes = Buffer.from(archive)
  bytes[offset] = value
  bytes[bytes.indexOf('PK\x01\x02') + offset + 2] = value
  return bytes
}

describe('an archive of records', () => {
  it('has the texts of its JSON files, in any folder and under any name', async () => {
    const entries = [
      'a.json',
      'folder/b.json',
      '../../c.json',
      '/d.json',
      'C:\\e.json',
      'f\0.json',
      'none.txt',
      'folder/',
    ]
    const texts = await textsOf(makeZip(entries.map(name => ({ name, content: name }))))
    expect(texts).toEqual(entries.slice(0, 6))
  })

  it('does not unpack a record that says that it is too long', async () => {
    const bytes = makeZip([
      { name: 'long.json', content: 'x'.repeat(1001) },
      { name: 'huge.json', content: '', claimedSize: 0xfffffff0 },
      { name: 'right.json', content: 'x'.repeat(1000) },
    ])
    expect(await textsOf(bytes)).toEqual([undefined, undefined, 'x'.repeat(1000)])
  })

  it.each([
    ['unpacks to more than it says', makeZip([{ name: 'bomb.json', content: 'x'.repeat(50_000), claimedSize: 10 }])],
    ['unpacks to less than it says', makeZip([{ name: 'a.json', content: 'x', claimedSize: 10 }])],
    ['is encrypted', changed(sound, 6, 1)],
    ['has an unknown compression', changed(sound, 8, 12)],
    ['is empty', new Uint8Array()],
    ['is no archive', Buffer.from('{"id":"A-1"}')],
    ['lacks its end', sound.subarray(0, sound.length - 10)],
    ['lacks its begin', sound.subarray(20)],
    ['has damaged bytes', Buffer.from(sound).fill(0xff, 40, 44)],
  ])('is refused if it %s', async (_, bytes) => {
    await expect(textsOf(bytes)).rejects.toThrow()
  })
})
