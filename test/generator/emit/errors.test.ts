import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from '../generation.ts'
import { typeCheck } from '../type-check.ts'

let folder: string
beforeAll(() => void (folder = newFolder()))
afterAll(() => removeFolder(folder))

const error = (code: number) => ({ code, rpc: 'NOT_FOUND', description: 'It is gone.', metadata: [] })

test('the functions of reasons avoid the names of the document and its reasons', async () => {
  const reasons = { REASON_OF: error(1001001), REASON_OF_: error(1001002) }
  const document = {
    openapi: '3.0.3',
    info: { title: 'Reasons', version: '1' },
    'x-errors': reasons,
    paths: { '/things': { get: { operationId: 'listThings', responses: { 204: { description: 'none' } } } } },
  }
  writeFileSync(join(folder, 'reasonOf.json'), JSON.stringify(document))
  const { files, printed } = await generation(['reasonOf.json'], folder, runtimeFrom(join(folder, 'output')))
  expect(printed.filter(line => line.includes(' error '))).toEqual([])
  const text = [...files].find(([path]) => path.endsWith('errors.ts'))?.[1] ?? ''
  expect(text).toContain('export const reasonOf: ErrorDomain')
  expect(text).toMatch(/^const reasonOf_+ = </m)
  writeFiles(join(folder, 'output'), files)
  const options = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  expect(typeCheck(folder)).toBe('')
})
