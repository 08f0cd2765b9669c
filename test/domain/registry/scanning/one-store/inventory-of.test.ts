import { describe, expect, it } from 'vitest'
import { inventoryOf, type ReadSource } from '../../../../../domain/registry/scanning/inventory-of.ts'
import type { OperatingSystem } from '../../../../../domain/registry/scanning/sources/os-release.ts'
import type { SourcePackage } from '../../../../../domain/registry/scanning/sources/source-package.ts'

const place = { path: 'p', layer_digest: 'sha256:0' }
const source = (...packages: readonly SourcePackage[]): ReadSource => ({ ...place, reading: { packages, unread: [] } })
const deb: SourcePackage = { kind: 'deb', name: 'a', version: '1:2+b1', architecture: 'amd64' }
const apk: SourcePackage = { kind: 'apk', name: 'a', version: '1-r0', architecture: 'x86_64' }

describe('the inventory of an image', () => {
  it.each<[os: OperatingSystem | undefined, found: SourcePackage, ecosystem: string, purl: string]>([
    [{ id: 'debian', version: '12' }, deb, 'Debian:12', 'pkg:deb/debian/a@1:2+b1?arch=amd64&distro=debian-12'],
    [
      { id: 'ubuntu', version: '24.04' },
      deb,
      'Ubuntu:24.04:LTS',
      'pkg:deb/ubuntu/a@1:2+b1?arch=amd64&distro=ubuntu-24.04',
    ],
    [{ id: 'ubuntu', version: '23.04' }, deb, 'Ubuntu:23.04', 'pkg:deb/ubuntu/a@1:2+b1?arch=amd64&distro=ubuntu-23.04'],
    [{ id: 'ubuntu', version: '24.10' }, deb, 'Ubuntu:24.10', 'pkg:deb/ubuntu/a@1:2+b1?arch=amd64&distro=ubuntu-24.10'],
    [
      { id: 'alpine', version: '3.20.3' },
      apk,
      'Alpine:v3.20',
      'pkg:apk/alpine/a@1-r0?arch=x86_64&distro=alpine-3.20.3',
    ],
    [{ id: 'wolfi', version: '20230201' }, apk, 'Wolfi', 'pkg:apk/wolfi/a@1-r0?arch=x86_64&distro=wolfi-20230201'],
    [{ id: 'chainguard', version: '' }, apk, 'Chainguard', 'pkg:apk/chainguard/a@1-r0?arch=x86_64'],
    [undefined, { kind: 'npm', name: '@a/b', version: '1' }, 'npm', 'pkg:npm/%40a/b@1'],
    [undefined, { kind: 'pypi', name: 'a-b', version: '1' }, 'PyPI', 'pkg:pypi/a-b@1'],
    [undefined, { kind: 'gem', name: 'a', version: '1' }, 'RubyGems', 'pkg:gem/a@1'],
    [undefined, { kind: 'maven', name: 'org.a:b', version: '1' }, 'Maven', 'pkg:maven/org.a/b@1'],
    [undefined, { kind: 'golang', name: 'a.b/C/d', version: '1.0.0' }, 'Go', 'pkg:golang/a.b/C/d@v1.0.0'],
    [undefined, { kind: 'golang', name: 'stdlib', version: '1.22.0' }, 'Go', 'pkg:golang/stdlib@1.22.0'],
  ])('of %j describes %j', (os, found, ecosystem, purl) => {
    const { packages, unsupported } = inventoryOf(os, [source(found)], [])
    expect(packages).toEqual([{ ecosystem, name: found.name, version: found.version, purl, ...place }])
    expect(unsupported).toEqual([])
  })

  it.each<[os: OperatingSystem | undefined, ecosystem: string, system: string]>([
    [{ id: 'kali', version: '2026.3' }, 'kali:2026.3', 'kali 2026.3'],
    [{ id: 'debian', version: '' }, 'debian', 'debian'],
    [{ id: 'constructor', version: '' }, 'constructor', 'constructor'],
    [undefined, 'unknown', 'an unknown distribution'],
  ])('of %j reports that it has no advisories', (os, ecosystem, system) => {
    const { packages, unsupported } = inventoryOf(os, [source(deb)], [])
    expect(packages.map(found => found.ecosystem)).toEqual([ecosystem])
    expect(unsupported).toEqual([`packages of ${system}, about which there are no advisories: p`])
  })

  it('is in order, has each package of a file once, and each kind of unread sources once', () => {
    const npm = (name: string, version = '1'): SourcePackage => ({ kind: 'npm', name, version })
    const sources = [
      source(npm('b'), npm('a', '2'), npm('b')),
      { ...source(npm('a')), path: 'q' },
      source(npm('a'), deb),
    ]
    const unread = ['z', 'x', 'y', 'x'].map(path => ({ what: 'thing', path }))
    const { packages, unsupported } = inventoryOf({ id: 'debian', version: '12' }, sources, [
      ...unread,
      { what: 'another', path: 'v' },
    ])
    expect(packages.map(({ ecosystem, name, path, version }) => [ecosystem, name, version, path].join(' '))).toEqual([
      'Debian:12 a 1:2+b1 p',
      'npm a 1 p',
      'npm a 1 q',
      'npm a 2 p',
      'npm b 1 p',
    ])
    expect(unsupported).toEqual(['another: v', 'thing: x and 2 more'])
  })

  it('reports packages that a package URL cannot name', () => {
    const { packages, unsupported } = inventoryOf(
      undefined,
      [source({ kind: 'golang', name: 'a/b', version: 'x' })],
      [],
    )
    expect(packages).toEqual([])
    expect(unsupported).toEqual(['golang package without a package URL: p'])
  })
})
