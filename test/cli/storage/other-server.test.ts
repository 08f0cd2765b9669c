import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listenLocally } from '../../listen-locally.ts'
import { testFolder } from '../../server/store/harness.ts'
import { ninefold } from '../command.ts'

const id = '00000000-0000-7000-8000-000000000001'

it.each([
  ['the buckets', ['ls']],
  ['the objects of a bucket', ['ls', `nf://${id}/`]],
  ['the objects of a bucket by its name', ['ls', 'nf://docs/']],
  ['the objects to copy', ['cp', '-r', `nf://${id}/`, 'folder']],
  ['an object to copy', ['cp', `nf://${id}/a`, 'copy']],
  ['a place for a file', ['cp', 'small', `nf://${id}/`]],
  ['a place for a large file', ['cp', 'large', `nf://${id}/`]],
  ['the objects to delete', ['rm', '-r', `nf://${id}/`]],
  ['a workspace by its name', ['ls', '--workspace', 'acme/web']],
])('reports a server that is none of this platform, asked for %s', async (_, words) => {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}'))
  onTestFinished(() => void server.close())
  const folder = testFolder()
  writeFileSync(join(folder, 'small'), 'a')
  writeFileSync(join(folder, 'large'), Buffer.alloc(9 * 2 ** 20))
  const url = await listenLocally(server)
  const ended = await ninefold(folder, [
    'storage',
    ...words.slice(0, 1),
    '--workspace',
    id,
    '--url',
    url,
    ...words.slice(1),
  ])
  expect(ended.err).toMatch(
    /^error: .*\n {2}reason: ANSWER_INVALID \(INTERNAL\)\n {2}check that --url names a ninefold server\n$/,
  )
  expect(ended.code).toBe(3)
})
