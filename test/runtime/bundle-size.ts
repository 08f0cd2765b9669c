import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** What a browser would load of an entry in `test/runtime`, bundled and minified: bytes as they are, and gzipped. */
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

const get = (name: string): string => `
  export const ${name} = (transport, request) => send(transport, {
    operationId: '${name}', method: 'GET', path: ['/made/v1/${name}/', 'id'], parameters: [{ name: 'id', in: 'path', type: 'string' }],
    success: [{ status: 200, type: 'application/json', kind: 'json' }], domain: { name: 'made', base: 7000000 }, check: () => true,
  }, request)`

const transport = `import { createTransport, send } from '../../runtime/transport.ts'; export { createTransport };`

const generated = (name: string): string => `
  import { ${name} } from '../../output/taxonomy/routes.ts'
  export const call = (transport, request) => send(transport, ${name}, request)`

/** Programs of growing size that use the client half of the runtime, the first three with routes that check nothing. */
export const clientPrograms = {
  'one operation': `${transport} ${get('getQuota')}`,
  'two operations': `${transport} ${get('getQuota')} ${get('getOrganisation')}`,
  'iterate and wait too': `${transport} ${get('getQuota')}
    export { iterate } from '../../runtime/iterate.ts'; export { wait } from '../../runtime/wait.ts'`,
  'a get with its validator': `${transport} ${generated('getQuota')}`,
  'a list with its validator': `${transport} ${generated('listQuotas')}`,
  'a create with its validator': `${transport} ${generated('createOrganisation')}`,
} as const
