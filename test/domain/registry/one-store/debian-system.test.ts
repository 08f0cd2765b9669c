import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { ScanReport, Vulnerability } from '../../../../output/registry/types.ts'
import { registrySettings } from '../../../../server/registry/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { run } from '../../../server/programs.ts'
import { recordText } from '../../../server/registry/advisories/records.ts'
import { testFolder } from '../../../server/store/harness.ts'
import { ociImage, type OciClient } from '../oci-client.ts'
import { servedRegistry } from '../served-registry.ts'

/** The folder that make-debian-system.sh has filled. */
const made = process.env['NINEFOLD_DEBIAN_SYSTEM'] ?? ''
if (made === '') console.warn('the test of a system of Debian is skipped: NINEFOLD_DEBIAN_SYSTEM names no folder')

const name = 'acme/web/system'
const ecosystem = `Debian:${/^VERSION_ID="?(\d+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]}`

/** Vectors of CVSS, with their base scores and severities by FIRST. */
const vectors = [
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', '3.1', 9.8, 'REGISTRY_SEVERITY_CRITICAL'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', '4.0', 9.3, 'REGISTRY_SEVERITY_CRITICAL'],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', '3.1', 6.1, 'REGISTRY_SEVERITY_MEDIUM'],
  ['CVSS:3.0/AV:L/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N', '3.0', 2.2, 'REGISTRY_SEVERITY_LOW'],
] as const

/** Returns versions that may mend an installed one: the same, a later one, an earlier one, and one of a later epoch. */
const fixesOf = (version: string): readonly string[] => [version, `${version}+fix1`, `${version}~fix1`, `9:${version}`]

/** A package that is installed, by dpkg-query. */
interface Installed {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly source: string
  readonly sourceVersion: string
}

/** An advisory about a source package of the system, and the finding that it makes, if it affects the package. */
interface Advisory {
  readonly text: string
  readonly id: string
  readonly finding: object
}

function installed(): readonly Installed[] {
  const rows = readFileSync(join(made, 'packages'), 'utf8').trim().split('\n')
  return rows
    .map(row => row.split(' '))
    .filter(([status]) => status === 'installed')
    .map(([, name = '', version = '', architecture = '', source = '', sourceVersion = '']) => ({
      name,
      version,
      architecture,
      source,
      sourceVersion,
    }))
}

/** Returns four advisories about each source package. */
function advisories(packages: readonly Installed[]): readonly (Advisory & { readonly pair: string })[] {
  const sources = new Map(packages.map(({ source, sourceVersion }) => [source, sourceVersion]))
  return [...sources].flatMap(([source, version], i) =>
    fixesOf(version).map((fixed, k) => {
      const id = `DSA-${i}-${k}`
      const [vector, cvss, score, severity] = vectors[(i + k) % vectors.length] ?? vectors[0]
      const more = { severity: [{ type: `CVSS_V${cvss[0]}`, score: vector }] }
      const about = { name: source, version, ecosystem, path: 'var/lib/dpkg/status' }
      return {
        id,
        text: recordText({ id, ecosystem, name: source, fixed, more }),
        finding: { id, severity, cvss: [{ version: cvss, vector, score }], fixed_versions: [fixed], package: about },
        pair: `${version}\t${fixed}`,
      }
    }),
  )
}

/** Returns the advisories that affect the installed version, by the order of versions of dpkg. */
async function affecting(all: readonly (Advisory & { readonly pair: string })[]): Promise<readonly Advisory[]> {
  const judge = new URL('../scanning/one-store/versions/judges/dpkg.sh', import.meta.url).pathname
  const { output } = await run('sh', [judge], `${all.map(({ pair }) => pair).join('\n')}\n`)
  const orders = output.toString('utf8').trim().split('\n')
  return all.filter((_, i) => orders[i] === '-1')
}

interface Descriptor {
  readonly digest: string
  readonly mediaType: string
}

/** Pushes the image of the made layout. */
async function pushSystem(oci: OciClient): Promise<void> {
  const blob = (digest: string): Buffer => readFileSync(join(made, 'image', 'blobs', ...digest.split(':')))
  const index: { readonly manifests: readonly Descriptor[] } = JSON.parse(
    readFileSync(join(made, 'image', 'index.json'), 'utf8'),
  )
  const manifest: { readonly config: Descriptor; readonly layers: readonly Descriptor[] } = JSON.parse(
    blob(index.manifests[0]?.digest ?? '').toString('utf8'),
  )
  for (const { digest, mediaType } of [manifest.config, ...manifest.layers])
    await oci.pushBlob(name, Uint8Array.from(blob(digest)), mediaType)
  await oci.pushManifest(name, 'v1', { ...manifest, mediaType: ociImage })
}

/** Returns `name version architecture` of the components of the bill of materials of a report. */
async function listed(oci: OciClient, { sbom }: ScanReport): Promise<readonly string[]> {
  const { json: manifest } = await oci.send(`/v2/${name}/manifests/${sbom?.digest}`)
  const { bytes } = await oci.send(`/v2/${name}/blobs/${Object(manifest).layers[0].digest}`)
  const bill: {
    readonly components: readonly {
      readonly type: string
      readonly name: string
      readonly version: string
      readonly purl: string
    }[]
  } = JSON.parse(new TextDecoder().decode(bytes))
  return bill.components
    .filter(({ type }) => type === 'library')
    .map(({ name: found, purl, version }) => `${found} ${version} ${new URL(purl).searchParams.get('arch')}`)
}

it.skipIf(made === '')(
  'a scan of a system of Debian finds its packages, and exactly the advisories about them',
  { timeout: 180_000 },
  async () => {
    const packages = installed()
    expect(packages.length).toBeGreaterThan(50)
    const all = advisories(packages)
    const expected = await affecting(all)
    expect(expected.length).toBe(all.length / 2)
    const folder = join(testFolder(onTestFinished), 'osv')
    mkdirSync(folder)
    const absent = { id: 'DSA-absent', text: recordText({ id: 'DSA-absent', ecosystem, name: 'tzdata', fixed: '9:0' }) }
    for (const { id, text } of [...all, absent]) writeFileSync(join(folder, `${id}.json`), text)
    const given = new GivenSettings().with(registrySettings['registry.osv_dir'], folder)
    const { api, oci, repository, workspace } = await servedRegistry(onTestFinished, 0, { given })
    const call = { workspace, repository: await repository('system'), reference: 'v1' }
    await pushSystem(oci)
    await api.registry.waitOperation(await api.registry.scanArtifact({ ...call, body: {} })).catch(() => undefined)
    const report = (page_token = '') => api.registry.getScanReport({ ...call, page_token })
    // A scan may end before the advisories of a new server are imported; its report then follows them.
    await expect.poll(() => report(), { timeout: 60_000 }).toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED' })
    const found = await report()
    expect({ count: found.package_count, unsupported: found.unsupported_sources }).toEqual({
      count: packages.length,
      unsupported: [],
    })
    expect((await listed(oci, found)).toSorted()).toEqual(
      packages.map(({ architecture, name: of, version }) => `${of} ${version} ${architecture}`).toSorted(),
    )
    const findings = [...found.vulnerabilities]
    for (let token = found.next_page_token; token !== '';) {
      const page = await report(token)
      findings.push(...page.vulnerabilities)
      token = page.next_page_token
    }
    const byId = (a: Pick<Vulnerability, 'id'>, b: Pick<Vulnerability, 'id'>): number => (a.id < b.id ? -1 : 1)
    expect(findings.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
    expect(findings.toSorted(byId)).toMatchObject(expected.toSorted(byId).map(({ finding }) => finding))
  },
)
