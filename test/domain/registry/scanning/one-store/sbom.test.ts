import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { FoundPackage, Inventory } from '../../../../../domain/registry/scanning/inventory.ts'
import { sbomOf, type SbomSubject } from '../../../../../domain/registry/scanning/sbom.ts'

const subject: SbomSubject = {
  uri: '127.0.0.1:8391/acme/prod/api',
  digest: `sha256:${'a'.repeat(64)}`,
  timeMs: Date.UTC(2026, 10, 30),
  scanner: { name: 'native', version: '1' },
}
const { signal } = new AbortController()

const found = (name: string, ecosystem: string, purl: string): FoundPackage => ({
  ecosystem,
  name,
  version: '1',
  purl,
  path: `path/of/${name}`,
  layer_digest: `sha256:${'b'.repeat(64)}`,
})
const inventory: Inventory = {
  os: { id: 'debian', version: '12' },
  packages: [
    found('a', 'Debian:12', 'pkg:deb/debian/a@1?arch=amd64'),
    found('org.a:b', 'Maven', 'pkg:maven/org.a/b@1'),
    found('org.a:b', 'Maven', 'pkg:maven/org.a/b@1'),
    found('@a/b', 'npm', 'pkg:npm/%40a/b@1'),
    found('ünï', 'npm', 'pkg:npm/%C3%BCn%C3%AF@1'),
    found('github.com/a/b', 'Go', 'pkg:golang/github.com/a/b@v1'),
  ],
  unsupported: ['rpm database (ndb): var/lib/rpm/Packages.db'],
}

const textOf = async (of: Inventory, about = subject): Promise<string> =>
  Buffer.concat(await sbomOf(of, about, signal)).toString('utf8')

/** Returns the judge by the schema of CycloneDX, which its library has. */
function schemaJudge(): (value: unknown) => unknown {
  const library = dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'))
  const schema = (name: string): object =>
    JSON.parse(readFileSync(join(library, 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'))
  const ajv = new Ajv({ strict: false, logger: false })
  // The schemas name each other by the names of their files.
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  addFormats.default(ajv)
  const validate = ajv.compile(schema('bom-1.6'))
  return value => (validate(value) ? undefined : validate.errors)
}

describe('a bill of materials', () => {
  const faultsOf = schemaJudge()

  it.each<[title: string, of: Inventory]>([
    ['an image', inventory],
    ['an image of nothing', { packages: [], unsupported: [] }],
    ['an operating system alone', { os: { id: 'wolfi', version: '' }, packages: [], unsupported: [] }],
    [
      'an image of many packages',
      { packages: Array.from({ length: 260 }, (_, i) => found(`p${i}`, 'npm', `pkg:npm/p${i}@1`)), unsupported: [] },
    ],
  ])('of %s fits the schema of CycloneDX 1.6', async (_, of) => {
    const bill: unknown = JSON.parse(await textOf(of))
    expect(faultsOf(bill)).toBeUndefined()
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    expect(Reflect.get(Object(bill), 'components')).toHaveLength(of.packages.length + (of.os === undefined ? 0 : 1))
  })

  it('is judged by the schema', async () => {
    const bill: object = JSON.parse(await textOf(inventory))
    expect(faultsOf({ ...bill, components: [{ type: 'library' }] })).toBeDefined()
    expect(faultsOf({ ...bill, more: 1 })).toBeDefined()
  })

  it('names the image, the scan, each package with its place, and what was not read', async () => {
    const bill: unknown = JSON.parse(await textOf(inventory))
    expect(bill).toMatchObject({
      metadata: {
        timestamp: '2026-11-30T00:00:00.000Z',
        tools: { components: [{ name: 'native', version: '1' }] },
        component: { type: 'container', name: subject.uri, version: subject.digest },
        properties: [{ name: 'ninefold:unsupported_source', value: 'rpm database (ndb): var/lib/rpm/Packages.db' }],
      },
      components: [
        { type: 'operating-system', name: 'debian', version: '12' },
        {
          name: 'a',
          version: '1',
          purl: 'pkg:deb/debian/a@1?arch=amd64',
          properties: [
            { name: 'ninefold:layer_digest', value: `sha256:${'b'.repeat(64)}` },
            { name: 'ninefold:path', value: 'path/of/a' },
          ],
        },
        { group: 'org.a', name: 'b', 'bom-ref': 'pkg:maven/org.a/b@1' },
        { group: 'org.a', name: 'b', 'bom-ref': 'pkg:maven/org.a/b@1#2' },
        { group: '@a', name: 'b' },
        { name: 'ünï' },
        { name: 'github.com/a/b' },
      ],
    })
  })

  it('is the same for the same inventory, and another one for another image', async () => {
    const text = await textOf(inventory)
    expect(await textOf(structuredClone(inventory))).toBe(text)
    expect(await textOf(inventory, { ...subject, digest: `sha256:${'c'.repeat(64)}` })).not.toBe(text)
  })

  it('comes in pieces, each of which takes a moment to copy and to hash', async () => {
    const many = { packages: Array.from({ length: 5000 }, () => found('p', 'npm', 'pkg:npm/p@1')), unsupported: [] }
    const pieces = await sbomOf(many, subject, signal)
    expect(pieces.length).toBeGreaterThan(50)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000)
    const bill: { readonly components: readonly object[] } = JSON.parse(Buffer.concat(pieces).toString('utf8'))
    expect(bill.components).toHaveLength(5000)
  })

  it('lets other work run meanwhile, and ends when it is aborted', async () => {
    const many = { packages: Array.from({ length: 5000 }, () => found('p', 'npm', 'pkg:npm/p@1')), unsupported: [] }
    const aborting = new AbortController()
    const reason = new Error('stopped')
    setTimeout(() => aborting.abort(reason), 1)
    await expect(sbomOf(many, subject, aborting.signal)).rejects.toBe(reason)
  })
})
