import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from '../generation.ts'
import { typeCheck } from '../type-check.ts'

let folder: string
beforeAll(() => void (folder = newFolder()))
afterAll(() => removeFolder(folder))

const parameter = (name: string, type = 'string', place = 'query') => ({ name, in: place, schema: { type } })

/** Generates a document of operations with these parameters; returns the text of routes.ts. */
async function routesOf(operations: Readonly<Record<string, readonly object[]>>, name = 'things'): Promise<string> {
  const responses = { 204: { description: 'none' } }
  const paths = Object.entries(operations).map(([operationId, parameters], i) => [
    `/things${i}`,
    { get: { operationId, parameters, responses } },
  ])
  const document = { openapi: '3.0.3', info: { title: 'Things', version: '1' }, paths: Object.fromEntries(paths) }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(document))
  const { files } = await generation([`${name}.json`], folder, runtimeFrom(join(folder, 'output')))
  writeFiles(join(folder, 'output'), files)
  return files.get(`${name}/routes.ts`) ?? ''
}

const constantsIn = (routes: string): readonly string[] =>
  [...routes.matchAll(/^const (\w+)/gm)].map(([, name]) => name ?? '')

test('a parameter of several operations is declared once', async () => {
  const routes = await routesOf({
    listThings: [parameter('page_size')],
    listMore: [parameter('page_size'), parameter('id')],
  })
  expect(constantsIn(routes)).toEqual(['queryPageSize', 'queryId'])
  expect(routes).toContain('  parameters: [queryPageSize],\n')
  expect(routes).toContain('  parameters: [queryPageSize, queryId],\n')
})

test('parameters that differ in more than their names have constants of their own', async () => {
  const routes = await routesOf({
    a: [parameter('id')],
    b: [parameter('id', 'integer')],
    c: [parameter('id', 'string', 'header')],
  })
  expect(constantsIn(routes)).toEqual(['queryId', 'queryIdB', 'headerId'])
})

test('constants avoid the names of operations, imports and other constants', async () => {
  const taken = await routesOf({
    queryId: [parameter('id')],
    queryIdB: [parameter('i d')],
    c: [parameter('ID'), parameter('1')],
  })
  expect(constantsIn(taken)).toEqual(['queryIdC', 'queryID', 'queryIDB', 'query1'])
  const named = await routesOf({ a: [parameter('routes'), parameter('')] }, 'query')
  expect(constantsIn(named)).toEqual(['queryRoutesB', 'queryMember'])
  const compilerOptions = { types: [] }
  const options = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  expect(typeCheck(folder)).toBe('')
})
