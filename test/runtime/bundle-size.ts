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

const transport = `import { createTransport, send } from '../../runtime/transport.ts'; export { createTransport };`

const made = (name: string): string => `
  import { toPath } from '../../runtime/parameters/write.ts'
  export const ${name} = (transport, request) => send(transport, {
    operationId: '${name}', method: 'GET', path: ['/made/v1/${name}/', 'id'], parameters: [{ name: 'id', in: 'path', type: 'string', write: toPath }],
    success: [{ status: 200, type: 'application/json', kind: 'json' }],
  }, request)`

const generated = (name: string): string => `${transport}
  import { ${name} } from '../../output/taxonomy/routes.ts'
  export const call = (transport, request) => send(transport, ${name}, request)`

/** Programs of growing size that use the client half of the runtime. Clients do not check: only the last does it itself. */
export const clientPrograms = {
  'one operation': `${transport} ${made('getQuota')}`,
  'two operations': `${transport} ${made('getQuota')} ${made('getOrganisation').replace(/import .*/, '')}`,
  'iterate and wait too': `${transport} ${made('getQuota')}
    export { iterate } from '../../runtime/iterate.ts'; export { wait } from '../../runtime/wait.ts'`,
  'a get': generated('getQuota'),
  'a list': generated('listQuotas'),
  'a create': generated('createOrganisation'),
  'every operation': `${transport} export { TaxonomyClient } from '../../output/taxonomy/client.ts'`,
  'a create that is checked': `${generated('createOrganisation')}
    export { checkCreateOrganisationRequest } from '../../output/taxonomy/validators.ts'; export { Faults } from '../../runtime/validation.ts'`,
} as const
