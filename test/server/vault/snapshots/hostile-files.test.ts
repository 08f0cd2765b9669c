import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { checkedRows } from '../../../../server/vault/snapshots/checked-rows.ts'
import { openSnapshot } from '../../../../server/vault/snapshots/open-snapshot.ts'
import { maxLineBytes } from '../../../../server/vault/snapshots/read-lines.ts'
import { line, madeSnapshot, root, sealLines, trailerOf, workspaceKey } from './made-snapshot.ts'

const workspace = '01890000-0000-7000-8000-000000000001'
const chunk = 65_536 + 16

/** Reads a file to its end; returns the number of its rows. */
async function rowsOf(file: string, roots = { current: root }): Promise<number> {
  let rows = 0
  for await (const _ of checkedRows(await openSnapshot(file, roots))) rows += 1
  return rows
}

/** Returns a snapshot of several chunks that cannot be compressed. */
const large = async (): Promise<string> => {
  const payloads = Array.from({ length: 12 }, (_, i) => ({
    id: `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    workspace_id: workspace,
    sealed: randomBytes(24_000).toString('base64'),
  }))
  return madeSnapshot([...sealLines(), ...payloads.map(row => line('vault_capsule_payloads', row))])
}

it('a sound file is read to its end', async () => {
  const file = await madeSnapshot([...sealLines(), line('vault_workspace_keys', workspaceKey(workspace))])
  expect(await rowsOf(file)).toBe(3)
  expect(await rowsOf(await large())).toBe(14)
})

it('every flipped bit, every truncation and every exchange of chunks is refused', async () => {
  const bytes = readFileSync(await large())
  const file = await large()
  const start = bytes.indexOf(10) + 1
  const refused = async (changed: Uint8Array): Promise<void> => {
    writeFileSync(file, changed)
    await expect(rowsOf(file)).rejects.toThrow(/^(?:is damaged \(.*\); take another copy|is no snapshot|was taken)/)
  }
  const places = [3, 40, start - 5, start, start + 6, start + 7, start + 7 + chunk, bytes.length - 20, bytes.length - 1]
  for (const at of places) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    await refused(changed)
  }
  for (const length of [0, 5, start, start + 3, start + 7, start + 7 + chunk, start + 7 + 2 * chunk, bytes.length - 1])
    await refused(bytes.subarray(0, length))
  await refused(Buffer.concat([bytes, Buffer.from('x')]))
  await refused(Buffer.concat([bytes, bytes.subarray(bytes.length - 30)]))
  const first = start + 7
  const [one, two] = [bytes.subarray(first, first + chunk), bytes.subarray(first + chunk, first + 2 * chunk)]
  await refused(Buffer.concat([bytes.subarray(0, first), two, one, bytes.subarray(first + 2 * chunk)]))
  await refused(Buffer.concat([bytes.subarray(0, first), one, one, two, bytes.subarray(first + 2 * chunk)]))
})

it('a changed header is refused, also with a right digest of another header', async () => {
  for (const header of [{ description: 'other' }, { create_time: '2030-01-01T00:00:00.000Z' }])
    await expect(rowsOf(await madeSnapshot(sealLines(), { header, isHeaderAltered: true }))).rejects.toThrow(
      'is damaged (chunk 0 is not authentic',
    )
  const moved = { header: { installation_id: '01890000-0000-7000-8000-00000000000f' } }
  await expect(rowsOf(await madeSnapshot(sealLines(), moved))).rejects.toThrow('its header was altered')
  await expect(rowsOf(await madeSnapshot(sealLines(), { header: { schema_version: 2 } }))).rejects.toThrow(
    'was taken by another version of the program (ninefold-vault-snapshot-v1, schema 2); restore it with that version',
  )
  await expect(rowsOf(await madeSnapshot(sealLines(), { header: { wrapped_key: 1 } }))).rejects.toThrow(
    'its header lacks a member',
  )
})

it('another root key is named, with the remedy', async () => {
  const file = await madeSnapshot(sealLines())
  const other = { id: 'other', bytes: Buffer.alloc(32, 'other') }
  await expect(rowsOf(file, { current: other })).rejects.toThrow(
    'was taken under the root key "root", which is not among the root keys of the settings; set vault.seal.current_key',
  )
  await expect(openSnapshot(file, { current: other, previous: root })).resolves.toBeDefined()
})

const faulty: readonly (readonly [what: string, lines: () => readonly string[], fault: string])[] = [
  ['an unknown table', () => [...sealLines(), line('iam_users', { id: 'a' })], 'has the table "iam_users"'],
  ['a table of the prototype', () => [...sealLines(), line('__proto__', { id: 'a' })], 'has the table "__proto__"'],
  ['a row that is no object', () => [...sealLines(), line('vault_secrets', 7)], 'is not readable'],
  ['a row without an id', () => [...sealLines(), line('vault_secrets', {})], 'is not readable'],
  ['an id of another type', () => [...sealLines(), line('vault_secrets', { id: 7 })], 'is not readable'],
  [
    'a member of another type',
    () => [...sealLines(), line('vault_secrets', { id: 'a', workspace_id: ['b'] })],
    'is not readable',
  ],
  [
    'a row twice',
    () => [...sealLines(), ...[1, 2].map(() => line('vault_workspace_keys', workspaceKey(workspace)))],
    'the rows of vault_workspace_keys are not in order',
  ],
  ['a table twice', () => [...sealLines(), ...sealLines()], 'the table vault_safes comes twice'],
  ['no safe', () => [], 'it has no safe'],
  ['no safe key', () => sealLines().slice(0, 1), 'it has no safe, or no safe key'],
  ['a safe key before the safe', () => sealLines().toReversed(), 'its safe keys come before its safe'],
  [
    'a safe of another installation',
    () => [line('vault_safes', { id: 'safe', installation_id: 'x', create_time: 'y' })],
    'its safe is of another installation',
  ],
  [
    'a safe key of another root key',
    () => [
      sealLines()[0] ?? '',
      line('vault_safe_keys', { id: '1', root_key_id: 'r', root_key_check: '', wrapped: 'AAAA', create_time: '' }),
    ],
    'the root key does not open its safe key 1',
  ],
  [
    'a workspace key under a missing safe key',
    () => [...sealLines(), line('vault_workspace_keys', { ...workspaceKey(workspace), safe_key: '9' })],
    'is encrypted under a safe key that it does not have',
  ],
  ['a line with other members', () => ['{"table":"vault_safes","row":{},"more":1}'], 'a line is no row'],
]

it.each(faulty)('a file with %s is refused', async (_, lines, fault) => {
  await expect(rowsOf(await madeSnapshot(lines()))).rejects.toThrow(fault)
})

it('a wrong count, a wrong digest, a missing last line and text behind it are refused', async () => {
  const lines = sealLines()
  const right = trailerOf(lines)
  const refused = async (making: Parameters<typeof madeSnapshot>[1], fault: string): Promise<void> =>
    expect(rowsOf(await madeSnapshot(lines, making))).rejects.toThrow(fault)
  const text = lines.map(each => `${each}\n`).join('')
  await refused({ trailer: { ...right, counts: { vault_safes: 2 } } }, 'another number of rows')
  await refused({ trailer: { ...right, sha256: '00' } }, 'another digest')
  await refused({ trailer: { sha256: right.sha256 } }, 'its last line is missing')
  await refused({ content: gzipSync(text) }, 'its last line is missing')
  await refused({ content: gzipSync(`${text}${JSON.stringify({ trailer: right })}`) }, 'its last line has no end')
  await refused(
    { content: gzipSync(`${text}${JSON.stringify({ trailer: right })}\n{}\n`) },
    'goes on behind its last line',
  )
  await refused({ content: gzipSync(`${text}[]\n`) }, 'a line is no object in JSON')
  await refused({ content: gzipSync(`${text}{\n`) }, 'a line is no object in JSON')
  await refused({ content: Buffer.from(text) }, 'it is not compressed as snapshots are')
  await refused({ content: gzipSync(text).subarray(0, 40) }, 'it is not compressed as snapshots are')
  await refused({ content: Buffer.alloc(0) }, 'is damaged')
})

it('a bomb of one endless line is refused within bounded memory', async () => {
  const bomb = gzipSync(Buffer.alloc(maxLineBytes * 6, ' '))
  expect(bomb.length).toBeLessThan(1_000_000)
  const file = await madeSnapshot([], { content: bomb })
  const before = process.memoryUsage().rss
  await expect(rowsOf(file)).rejects.toThrow(`has a line of over ${maxLineBytes} bytes`)
  expect(process.memoryUsage().rss - before).toBeLessThan(maxLineBytes * 4)
})

it('a file that is no snapshot, a folder, a pipe without a writer and an absent file are refused with the remedy', async () => {
  const file = await madeSnapshot([])
  writeFileSync(file, randomBytes(40_000))
  await expect(rowsOf(file)).rejects.toThrow('is no snapshot of a vault; name a file that takeSnapshot has written')
  await expect(rowsOf(`${file}.gone`)).rejects.toThrow('cannot be read (ENOENT)')
  await expect(rowsOf(file.replace(/\/[^/]*$/, ''))).rejects.toThrow('is no file')
  execFileSync('mkfifo', [`${file}.pipe`])
  await expect(rowsOf(`${file}.pipe`)).rejects.toThrow('is no file')
})
