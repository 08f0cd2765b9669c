import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Returns the size of a program for a browser, bundled and minified: in bytes, and in gzipped bytes. Imports are
 * relative to `test/runtime`.
 */
export async function bundleSize(entry: string): Promise<{ readonly minified: number; readonly gzipped: number }> {
  const result = await build({
    stdin: { contents: entry, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    write: false,
  })
  const [file] = result.outputFiles
  const contents = file?.contents ?? new Uint8Array()
  return { minified: contents.length, gzipped: contents.length === 0 ? 0 : gzipSync(contents, { level: 9 }).length }
}

const sending = `import { send } from '../../runtime/transport.ts';`
const transport = `${sending} export { createTransport } from '../../runtime/transport.ts';`

const made = (name: string): string => `
  import { toPath } from '../../runtime/parameters/write.ts'
  export const ${name} = (transport, request) => send(transport, {
    operationId: '${name}', method: 'GET', path: ['/made/v1/${name}/', 'id'], parameters: [{ name: 'id', in: 'path', type: 'string', write: toPath }],
    success: [{ status: 200, type: 'application/json', kind: 'json' }],
  }, request)`

const generated = (name: string): string => `
  import { ${name} } from '../../output/taxonomy/routes.ts'
  export const call = (transport, request) => send(transport, ${name}, request)`

/**
 * Returns a program that checks its requests. Clients do not check their requests, so the program imports the check
 * next to the route.
 */
const checked = (name: string): string => `${generated(name)}
  export { check${name.replace(/^./, first => first.toUpperCase())}Request } from '../../output/taxonomy/validators.ts'
  export { Faults } from '../../runtime/validation.ts'`

/**
 * Programs of growing size that use the client half of the runtime. A call over a plain transport, written as `{
 * baseUrl }`, includes neither retries nor tokens.
 */
export const clientPrograms = {
  'one operation': `${transport} ${made('getQuota')}`,
  'two operations': `${transport} ${made('getQuota')} ${made('getOrganisation').replace(/import .*/, '')}`,
  'iterate and wait too': `${transport} ${made('getQuota')}
    export { iterate } from '../../runtime/iterate.ts'; export { wait } from '../../runtime/operations.ts'`,
  'a get': transport + generated('getQuota'),
  'a list': transport + generated('listQuotas'),
  'a create': transport + generated('createOrganisation'),
  'every operation': `${transport} export { TaxonomyClient } from '../../output/taxonomy/client.ts'`,
  'a get with its check': transport + checked('getQuota'),
  'a list with its check': transport + checked('listQuotas'),
  'a create with its check': transport + checked('createOrganisation'),
  'a plain get': sending + generated('getQuota'),
  'a plain list': sending + generated('listQuotas'),
  'a plain create': sending + generated('createOrganisation'),
  'a plain get with its check': sending + checked('getQuota'),
  'a plain list with its check': sending + checked('listQuotas'),
  'a plain create with its check': sending + checked('createOrganisation'),
} as const
