import { expect, test } from 'vitest'
import { documentNames, joinedClient } from '../../../generator/cli/document-names.ts'
import { UsageError } from '../../../generator/cli/usage-error.ts'

test.each([
  ['specs/taxonomy.yaml', 'taxonomy'],
  ['pet-store.v2.json', 'petStoreV2'],
  ['Pet_Store.yaml', 'petStore'],
  ['API.yaml', 'api'],
  ['2fa.yaml', 'api2fa'],
  ['a b.c/öl-tank.yaml', 'lTank'],
])('%s is named %s', (file, name) => {
  expect(documentNames([file], [])).toEqual([{ file, name }])
})

test.each([
  ['specs/common.yaml=shared', 'shared'],
  ['common.yaml=shared', 'shared'],
  ['common=shared', 'shared'],
])('--name %s names specs/common.yaml', (given, name) => {
  expect(documentNames(['specs/common.yaml', 'specs/iam.yaml'], [given])).toEqual([
    { file: 'specs/common.yaml', name },
    { file: 'specs/iam.yaml', name: 'iam' },
  ])
})

test.each([
  ['a name of no document', ['a.yaml'], ['b=c']],
  ['a name that is a path', ['a.yaml'], ['a=b/c']],
  ['a name that starts with a capital', ['a.yaml'], ['a=Shop']],
  ['a name without a file', ['a.yaml'], ['=b']],
  ['an empty name', ['a.yaml'], ['a=']],
  ['two documents of one stem', ['x/a.yaml', 'y/a.yaml'], []],
  ['names that differ in case alone', ['a-b.yaml', 'ab.yaml'], []],
  ['a name that the runtime needs', ['a.yaml', 'b.yaml'], ['a=runtime']],
  ['a stem without a letter', ['__.yaml'], []],
])('%s is refused', (_, files, given) => {
  expect(() => documentNames(files, given)).toThrow(UsageError)
})

test('a single document may have the name of the runtime, since it has no folder', () => {
  expect(documentNames(['runtime.yaml'], [])).toEqual([{ file: 'runtime.yaml', name: 'runtime' }])
})

test.each([
  ['no name of a class', 'ninefold'],
  ['code', 'A {}'],
  ['empty', ''],
  ['a name that the file itself uses', 'Transport'],
  ['the class of a document', 'IamClient'],
])('a client with the name %s is refused', (_, name) => {
  const documents = documentNames(['iam.yaml', 'vault.yaml'], [])
  expect(() => joinedClient(name, documents)).toThrow(UsageError)
})

test('a client joins several documents, not a single one', () => {
  expect(joinedClient('Ninefold', documentNames(['iam.yaml', 'vault.yaml'], []))).toBe('Ninefold')
  expect(joinedClient(undefined, documentNames(['iam.yaml'], []))).toBeUndefined()
  expect(() => joinedClient('Ninefold', documentNames(['iam.yaml'], []))).toThrow(/several documents/)
})
