import { describe, expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { accessText } from '../../../server/reference/access.ts'
import { referenceDocument } from '../../../server/reference/document.ts'
import { reasonTable } from '../../../server/reference/errors.ts'
import { table } from '../../../server/reference/markdown.ts'
import { readDocuments } from '../../../server/specs/documents.ts'

interface Described {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly description: string }>>>>
}

const names = areas.map(({ domain }) => domain.name)

describe('the document of the reference', () => {
  it.each(names)('documents the access and the reasons of every operation of %s', async name => {
    const { info, paths } = (await referenceDocument(name)) as Described
    const document = (await readDocuments(['common', name])).get(name)
    for (const { method, path, access, raises = [], description = '' } of document?.operations ?? []) {
      const text = paths[path]?.[method.toLowerCase()]?.description ?? ''
      expect(text.startsWith(description.trim())).toBe(true)
      expect(text).toContain(access?.key === undefined ? '**Access:** ' : `the permission \`${access.key}\` (`)
      for (const reason of raises) expect(text).toContain(`| \`${reason}\` | `)
    }
    for (const { reason, description } of document?.errors ?? []) {
      expect(info.description).toContain(`| \`${reason}\` | `)
      expect(info.description).toContain(description.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|'))
    }
    for (const { key } of document?.permissions ?? []) expect(info.description).toContain(`| \`${key}\` | `)
  })

  it('has no reference to a missing document', async () => {
    await expect(referenceDocument('nowhere')).rejects.toThrow('nowhere')
  })
})

describe('the words of access', () => {
  it.each([
    [undefined, ''],
    [{ kind: 'public' }, '**Access:** public, without a token.'],
    [{ kind: 'own' }, '**Access:** every principal, for what is its own.'],
    [{ kind: 'authenticated' }, '**Access:** every principal.'],
    [
      { kind: 'permission', key: 'a.b.get', class: 'READ', scope: 'row', own: true },
      '**Access:** the permission `a.b.get` (READ) at the scope of what the path names. What the caller owns needs none.',
    ],
    [
      { kind: 'permission', key: 'a.b.drop', class: 'ADMIN', scope: 'platform', bearerOptional: true },
      '**Access:** the permission `a.b.drop` (ADMIN) at the platform. A token is not needed where the request proves as much.',
    ],
  ] as const)('of %j', (access, text) => expect(accessText(access)).toBe(text))
})

describe('a table of reasons', () => {
  const reason = { reason: 'QUITE_FULL', rpc: 'RESOURCE_EXHAUSTED', description: 'It is full.', metadata: [] }

  it('has number, status, rpc code, description and metadata', () => {
    const metadata = [{ name: 'limit', description: 'What fits.' }]
    expect(
      reasonTable([{ ...reason, code: 5_001_002, metadata }])
        .split('\n')
        .at(-1),
    ).toBe('| `QUITE_FULL` | 5001002 | 429 `RESOURCE_EXHAUSTED` | It is full. <br>`limit`: What fits. |')
  })

  it('gives common reasons the number of the area', () => {
    expect(reasonTable([{ ...reason, code: 6 }], 3_000_000)).toContain('| 3000006 |')
  })

  it('lists the reasons that no operation returns', () => {
    expect(reasonTable([{ ...reason, code: 5_001_003, rpc: undefined }])).toContain('operations and resources')
  })
})

describe('a table of Markdown', () => {
  it('keeps each row in its line and each cell in its column', () => {
    expect(table(['a', 'b'], [['one\n  two', 'x | y']])).toBe('| a | b |\n| --- | --- |\n| one two | x \\| y |')
  })

  it('is empty without rows', () => expect(table(['a'], [])).toBe(''))
})
