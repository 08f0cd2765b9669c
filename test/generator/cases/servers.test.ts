import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createTransport, type Transport, type TransportOptions } from '../../../runtime/transport.ts'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from '../generation.ts'
import { makeProject, typeCheck } from '../type-check.ts'
import { documentOf } from './wire.ts'

const responses = { 204: { description: 'Fine' } }
const region = (values: readonly string[]): object => ({ default: 'eu', enum: values })

/** A list with a server of its own, an operation that can be waited for, and names that are unusual. */
const unusual = {
  ...documentOf({
    '/rows': {
      servers: [{ url: '//rows.example.test/v1/' }],
      get: {
        operationId: 'listRows',
        parameters: ['page_size', 'page_token', 'filter', 'order_by'].map(name => ({
          name,
          in: 'query',
          schema: { type: name === 'page_size' ? 'integer' : 'string' },
        })),
        'x-filter': {
          fields: [{ name: 'id', type: 'STRING', operators: [], sortable: true }],
          default_order_by: 'id asc',
        },
        responses: {
          200: {
            description: 'Rows',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['rows', 'next_page_token'],
                  properties: {
                    rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
                    next_page_token: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
    '/names': {
      get: {
        operationId: 'onServer',
        servers: [
          {
            url: `https://{a-b}.example.test/it's/{class}/`,
            variables: { 'a-b': region(['eu', "o'us", '*/']), class: { default: '`$x`' } },
          },
        ],
        responses,
      },
    },
  }),
  servers: [{ url: 'https://{region}.example.test', variables: { region: region(['eu', 'us']) } }],
}

type Call = (request?: object, options?: object) => unknown
interface Sent {
  readonly url: string
  readonly headers: Headers
}

let root = ''
const folder = join(repository, 'test/cases/openapi-2')

beforeAll(async () => {
  root = newFolder()
  writeFiles(root, new Map([['unusual.json', JSON.stringify(unusual)]]))
  for (const [file, cwd] of [
    ['servers-below-the-document.yaml', folder],
    ['unusual.json', root],
  ] as const) {
    const { files, printed } = await generation([file], cwd, runtimeFrom(root))
    expect(printed.filter(line => / (?:warning|error) /.test(line))).toEqual([])
    writeFiles(root, files)
  }
})
afterAll(() => removeFolder(root))

const moduleOf = async (document: string, part: string): Promise<Readonly<Record<string, unknown>>> =>
  await import(pathToFileURL(join(root, document, `${part}.ts`)).href)

/** Makes a client of a document whose requests are kept, and answered without a body. */
async function clientOf(
  document: string,
  make: (fetch: NonNullable<Transport['fetch']>) => Transport,
): Promise<{ readonly client: Readonly<Record<string, Call>>; readonly sent: readonly Sent[] }> {
  const sent: Sent[] = []
  const [Client] = Object.values(await moduleOf(document, 'client'))
  const transport = make(async (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers) })
    return document === 'unusual'
      ? Response.json({ rows: [{ id: '1' }], next_page_token: '' })
      : new Response(null, { status: 204 })
  })
  return { client: Reflect.construct(Client as new () => object, [transport]), sent }
}

const below = 'serversBelowTheDocument'
const base = 'https://eu.example.test:8443/api/v2/'

/** Calls the operations in order, and returns the URLs that the client sent. */
async function urlsOf(
  given: Omit<TransportOptions, 'fetch'>,
  ...operations: readonly string[]
): Promise<readonly string[]> {
  const { client, sent } = await clientOf(below, fetch => createTransport({ ...given, fetch }))
  for (const operation of operations) await client[operation]?.()
  return sent.map(({ url }) => url)
}

describe('a server below the document', () => {
  const operations = ['uploadPet', 'listPets', 'listUsers']

  test.each([base, base.slice(0, -1)])('takes the calls of its operations, others go to %s', async baseUrl => {
    expect(await urlsOf({ baseUrl }, ...operations)).toEqual([
      'https://upload.example.test/pets',
      'https://eu.example.test:8443/pets-api/pets',
      'https://eu.example.test:8443/api/v2/users',
    ])
  })

  test('gives way to the server that the caller names for the operation, absolute or relative', async () => {
    const servers = { uploadPet: 'http://127.0.0.1:9/up', listPets: 'mine', toString: 'https://other.test' }
    expect(await urlsOf({ baseUrl: base, servers }, ...operations)).toEqual([
      'http://127.0.0.1:9/up/pets',
      `${base}mine/pets`,
      `${base}users`,
    ])
  })

  test('gives way to one server that the caller names for all', async () => {
    const baseUrl = 'http://127.0.0.1:9'
    expect(await urlsOf({ baseUrl, servers: baseUrl }, ...operations)).toEqual(
      ['pets', 'pets', 'users'].map(path => `${baseUrl}/${path}`),
    )
  })

  test('needs no base URL if it is absolute, and refuses to guess one if it is relative', async () => {
    expect(await urlsOf({ baseUrl: '' }, 'uploadPet')).toEqual(['https://upload.example.test/pets'])
    await expect(urlsOf({ baseUrl: '' }, 'listPets')).rejects.toThrow(TypeError)
  })

  test('takes the pages of an iterator, with the scheme of the base URL', async () => {
    const { client, sent } = await clientOf('unusual', fetch => createTransport({ baseUrl: 'http://a.test', fetch }))
    const pages: unknown = client.iterateRows?.()
    for await (const row of pages as AsyncIterable<unknown>) expect(row).toEqual({ id: '1' })
    expect(sent.map(({ url }) => url)).toEqual(['http://rows.example.test/v1/rows'])
  })
})

describe('the credentials of a transport', () => {
  const secrets = { authorization: 'Bearer secret', cookie: 'sid=1', 'x-api-key': 'secret' }
  const ways: Readonly<Record<string, (fetch: NonNullable<Transport['fetch']>) => Transport>> = {
    'a fixed token': fetch => createTransport({ baseUrl: base, fetch, token: 'secret' }),
    'a token provider': fetch =>
      createTransport({ baseUrl: base, fetch, authorize: bearer({ token: async () => 'secret' }) }),
    headers: fetch => createTransport({ baseUrl: base, fetch, headers: secrets }),
    'headers without retries': fetch => ({ baseUrl: base, fetch, headers: secrets }),
  }
  const secretsOf = ({ headers }: Sent): readonly string[] => Object.keys(secrets).filter(name => headers.has(name))

  test.each(Object.keys(ways))('stay with the origin of the base URL: %s', async way => {
    const { client, sent } = await clientOf(below, fetch => ways[way]?.(fetch) ?? { baseUrl: '' })
    for (const operation of ['uploadPet', 'listPets', 'listUsers']) await client[operation]?.()
    const [upload, ...same] = sent.map(secretsOf)
    expect(upload).toEqual([])
    for (const sentThere of same) expect(sentThere).toContain('authorization')
  })

  test('reach a server that the caller names', async () => {
    const servers = { uploadPet: 'https://upload.example.test' }
    const { client, sent } = await clientOf(below, fetch =>
      createTransport({ baseUrl: base, fetch, token: 'secret', servers }),
    )
    await client.uploadPet?.()
    expect(sent.map(secretsOf)).toEqual([['authorization']])
  })

  test('of one call stay behind too, and its other headers do not', async () => {
    const { client, sent } = await clientOf(below, fetch => ({ baseUrl: base, fetch }))
    await client.uploadPet?.({}, { headers: { ...secrets, 'x-trace': '1' } })
    expect(sent.map(secretsOf)).toEqual([['x-api-key']])
    expect(sent[0]?.headers.get('x-trace')).toBe('1')
  })
})

describe('the variables of a server', () => {
  test('have the defaults of the document', async () => {
    const { documentUrl } = await moduleOf(below, 'servers')
    const urlOf = documentUrl as (variables?: object) => string
    expect([urlOf(), urlOf({ region: 'us', port: '1' })]).toEqual([base, 'https://us.example.test:1/api/v2/'])
    const { onServerServer } = await moduleOf('unusual', 'servers')
    expect((onServerServer as () => string)()).toBe("https://eu.example.test/it's/`$x`/")
  })

  test('have their enums as types, and the output the layout of prettier', async () => {
    const use = [
      `import { documentUrl } from './${below}/servers.ts'`,
      `documentUrl({ region: 'us', port: '1' })`,
      '// @ts-expect-error',
      `documentUrl({ region: 'mars' })`,
      '// @ts-expect-error',
      `documentUrl({ planet: 'mars' })`,
    ]
    writeFileSync(join(root, 'use.ts'), use.join('\n'))
    makeProject(root)
    expect(typeCheck(root)).toBe('')
    const { files } = await generation(['unusual.json'], root, runtimeFrom(root))
    const options = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
    for (const text of files.values()) expect(text).toBe(await format(text, options))
  }, 120_000)
})

describe('a server that clients cannot call', () => {
  test.each([
    ['ftp://a.test', 'it has the scheme "ftp"'],
    ['javascript:alert(1)', 'it has the scheme "javascript"'],
    ['data:text/plain,1', 'it has the scheme "data"'],
    ['https://user:secret@a.test', 'it has credentials'],
    ['//user@a.test', 'it has credentials'],
    ['https://a.test/?x=1', 'it has a query or a fragment'],
    ['/a#b', 'it has a query or a fragment'],
    ['https://{host}/', 'its variable "host" has no default'],
    ['https://a.test/{', 'it is no URL'],
    ['https://', 'it is no URL'],
    ['/a b', 'it is no URL'],
    ['\\\\a.test', 'it is no URL'],
  ])('is a warning, and its operations go to the base URL: %s', async (url, fault) => {
    const document = documentOf({ '/a': { get: { operationId: 'a', servers: [{ url }], responses } } })
    const given = newFolder()
    writeFiles(given, new Map([['made.json', JSON.stringify(document)]]))
    const { files, printed } = await generation(['made.json'], given, runtimeFrom(given))
    removeFolder(given)
    expect(printed.filter(line => line.includes(' warning '))).toEqual([
      expect.stringContaining(`server-unusable: clients send to baseUrl in place of "${url}": ${fault}`),
    ])
    expect(files.get('made/routes.ts')).not.toContain('server:')
    expect(files.get('made/client.ts')).not.toContain('onServer')
  })
})
