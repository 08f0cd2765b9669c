import { describe, expect, it } from 'vitest'
import { BlockBuilder, type BuiltBlock } from '../../../../../server/observability/native/logs/format/block-builder.ts'
import { EntryBlock, type StoredBlock } from '../../../../../server/observability/native/logs/format/entry-block.ts'
import {
  decodeFilter,
  encodeFilter,
  gramFilter,
  mayContain,
} from '../../../../../server/observability/native/logs/format/gram-filter.ts'
import { MalformedBlock } from '../../../../../server/observability/native/logs/format/malformed-block.ts'
import {
  decodeRuns,
  encodeRuns,
  requireUnchanged,
} from '../../../../../server/observability/native/logs/format/stream-runs.ts'
import { withChangedBit } from '../changed-bytes.ts'
import { noon } from '../engines.ts'
import { at } from './log-engines.ts'
import { runsWithoutChecksum, withoutChecksum } from './older-logs.ts'

/** Returns a block of entries of two streams, of which every second has details. */
function blockOf(count: number, detail = ''): BuiltBlock {
  const builder = new BlockBuilder()
  for (let i = 0; i < count; i += 1)
    builder.add({
      stream: i * 2 < count ? 3 : 9,
      time: at(noon, i),
      number: 100 + i,
      ingestTime: noon,
      severity: 0,
      line: Buffer.from(`line ${i} of some lines`),
      detail: Buffer.from(i % 2 === 0 ? detail : ''),
    })
  return builder.build('fast')
}

const blocks = [
  ['a block of few bytes', blockOf(3)],
  ['a compressed block', blockOf(40)],
  ['a block with details', blockOf(12, '["","",{"host":"a"}]')],
] as const

const linesOf = (block: EntryBlock): readonly string[] => Array.from({ length: block.length }, (_, i) => block.line(i))

describe('each changed bit', () => {
  it.each(blocks)('of %s is found', (_, block) => {
    expect(linesOf(new EntryBlock(block))[1]).toBe('line 1 of some lines')
    const changed: readonly StoredBlock[] = [
      ...withChangedBit(block.entries).map(entries => ({ ...block, entries })),
      ...withChangedBit(block.details).map(details => ({ ...block, details })),
      ...withChangedBit(encodeRuns(block.runs, block).slice(4)).map(runs => ({ ...block, runs: decodeRuns(runs) })),
      { ...block, firstNumber: block.firstNumber + 1 },
    ]
    for (const each of changed) expect(() => new EntryBlock(each)).toThrow(MalformedBlock)
  })

  it('of the streams and the bounds of a block is found', () => {
    const block = blockOf(3)
    const runs = encodeRuns(block.runs, block)
    requireUnchanged(runs, block)
    expect(decodeRuns(runs)).toEqual(block.runs)
    for (const changed of withChangedBit(runs)) expect(() => requireUnchanged(changed, block)).toThrow(MalformedBlock)
    for (const name of ['firstNumber', 'lastNumber', 'firstIngest', 'lastIngest', 'bytes'] as const)
      expect(() => requireUnchanged(runs, { ...block, [name]: block[name] + 1 }), name).toThrow(MalformedBlock)
    for (const name of ['first', 'last'] as const)
      expect(() => requireUnchanged(runs, { ...block, [name]: block[name] + 1n }), name).toThrow(MalformedBlock)
  })

  it('of a filter is found', () => {
    const filter = encodeFilter(gramFilter(Buffer.from('line 1 of some lines')))
    expect(mayContain(decodeFilter(filter), Buffer.from('some'))).toBe(true)
    for (const changed of withChangedBit(filter)) expect(() => decodeFilter(changed)).toThrow(MalformedBlock)
  })
})

it('the content of a block belongs to its own row', () => {
  const [one, other] = [blockOf(40), blockOf(40, '["","",{"host":"a"}]')]
  expect(() => new EntryBlock({ ...one, details: other.details })).toThrow(MalformedBlock)
  expect(() => new EntryBlock({ ...other, details: new Uint8Array(0) })).toThrow(MalformedBlock)
})

it.each(blocks)('%s of the first version, which has no checksum, is read', (_, block) => {
  const bytes = runsWithoutChecksum(encodeRuns(block.runs, block))
  requireUnchanged(bytes, block)
  const older = new EntryBlock({ ...block, runs: decodeRuns(bytes), entries: withoutChecksum(block.entries) })
  expect(linesOf(older)).toEqual(linesOf(new EntryBlock(block)))
  expect(older.metadata(0)).toEqual(new EntryBlock(block).metadata(0))
})

it('a filter of the first version is read, whatever its first bits are', () => {
  const filter = new Uint8Array(64)
  filter[0] = 2
  expect(decodeFilter(filter)).toEqual(filter)
})
