import { describe, expect, it } from 'vitest'
import type { CvssScore, VulnerablePackage } from '../../../../../../output/registry/types.ts'
import { lookupKeys, packageKey, writtenVersion } from '../../../../../../domain/registry/scanning/osv/ecosystems.ts'
import {
  compareFindings,
  findingsOf,
  type Advisory,
  type ScoresOf,
} from '../../../../../../domain/registry/scanning/osv/findings.ts'
import { subjectsOf } from '../../../../../../domain/registry/scanning/osv/subjects.ts'

const found: VulnerablePackage = {
  name: 'requests',
  version: '1.0',
  ecosystem: 'PyPI',
  purl: 'pkg:pypi/requests@1.0',
  path: 'METADATA',
  layer_digest: '',
}

const advisory = (id: string, parts: Partial<Advisory> = {}): Advisory => ({
  id,
  aliases: [],
  upstream: [],
  summary: '',
  references: [],
  scores: [],
  ...parts,
})

const score = (value: number, version = '3.1'): CvssScore => ({ version, vector: `${version}/${value}`, score: value })

const findings = (advisories: readonly Advisory[], scoresOf: ScoresOf = () => []) => [
  ...findingsOf(
    found,
    advisories.map(of => ({ advisory: of, fixes: ['1.1'] })),
    scoresOf,
  ),
]

describe('the findings about a package', () => {
  it('are one for advisories that are aliases of each other, over several steps', () => {
    const some = [
      advisory('GHSA-a', {
        aliases: ['CVE-1'],
        scores: [score(9.8)],
        summary: 'of GitHub',
        references: ['https://a', 'https://b'],
      }),
      advisory('CVE-9'),
      advisory('PYSEC-b', { aliases: ['OTHER-1'], references: ['https://b', 'https://c'] }),
      advisory('CVE-1', { aliases: ['OTHER-1'], scores: [score(5)] }),
    ]
    for (const order of [some, some.toReversed()]) {
      const [one, ...rest] = findings(order).sort(compareFindings)
      expect(rest.map(({ id }) => id)).toEqual(['CVE-9'])
      expect(one).toEqual({
        id: 'CVE-1',
        aliases: ['OTHER-1', 'PYSEC-b', 'GHSA-a'],
        severity: 'REGISTRY_SEVERITY_CRITICAL',
        cvss: [score(9.8), score(5)],
        package: found,
        fixed_versions: ['1.1'],
        summary: 'of GitHub',
        references: ['https://b', 'https://c', 'https://a'],
      })
    }
  })

  it.each([
    ['DSA-1-1', ['CVE-1', 'DEBIAN-CVE-1', 'GHSA-1', 'DSA-1-1']],
    ['DLA-1-1', ['CVE-1', 'DLA-1-1']],
    ['USN-1-1', ['UBUNTU-CVE-1', 'CVE-1', 'USN-1-1']],
    ['CVE-1', ['GHSA-1', 'PYSEC-1', 'CVE-1']],
    ['GO-1', ['GHSA-1', 'GO-1']],
  ])('have the id %s of %j', (id, ids) => {
    const [first = '', ...others] = ids
    const [one, ...rest] = findings([advisory(first, { aliases: others }), ...others.map(of => advisory(of))])
    expect(rest).toEqual([])
    expect(one?.id).toBe(id)
    expect([id, ...(one?.aliases ?? [])].sort()).toEqual([...ids].sort())
  })

  it('take the advisory of a distribution for its vulnerability if it is about one alone', () => {
    const [single, several] = [['CVE-1'], ['CVE-1', 'CVE-2']]
    const cve = advisory('DEBIAN-CVE-1', { upstream: single })
    expect(findings([cve, advisory('DSA-1-1', { upstream: single })])).toMatchObject([
      { id: 'DSA-1-1', aliases: ['CVE-1', 'DEBIAN-CVE-1'] },
    ])
    expect(findings([cve, advisory('DSA-1-1', { upstream: several })])).toMatchObject([
      { id: 'DEBIAN-CVE-1', aliases: ['CVE-1'] },
      { id: 'DSA-1-1', aliases: [] },
    ])
  })

  it('have the scores of advisories that are not about the package too', () => {
    const asked: string[] = []
    const scoresOf: ScoresOf = ids => {
      asked.push(...ids)
      return ids.includes('CVE-2') ? [score(9.1, '4.0')] : []
    }
    const [one] = findings(
      [advisory('DSA-1-1', { aliases: ['A-1'], upstream: ['CVE-1', 'CVE-2'], scores: [score(2)] })],
      scoresOf,
    )
    expect(asked.sort()).toEqual(['A-1', 'CVE-1', 'CVE-2'])
    expect(one).toMatchObject({ severity: 'REGISTRY_SEVERITY_CRITICAL', cvss: [score(9.1, '4.0'), score(2)] })
  })

  it('have an order: the worst severity, then id, package, version and path', () => {
    const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE', 'UNKNOWN'] as const
    const [low] = findings([advisory('A-1')])
    if (low === undefined) throw new Error('there is no finding')
    const sorted = severities.flatMap(severity =>
      ['A-1', 'B-1'].flatMap(id =>
        ['a', 'b'].flatMap(name =>
          ['1', '2'].flatMap(version =>
            ['x', 'y'].map(path => ({
              ...low,
              id,
              severity: `REGISTRY_SEVERITY_${severity}` as const,
              package: { ...found, name, version, path },
            })),
          ),
        ),
      ),
    )
    expect(sorted.toReversed().sort(compareFindings)).toEqual(sorted)
  })
})

describe('a package', () => {
  it('is its source package, once for all packages of a file that are made from it', () => {
    const binary = { ecosystem: 'Debian:12', version: '3.0-1+b1', purl: '', path: 'status', layer_digest: 'sha256:a' }
    const source = { name: 'openssl', version: '3.0-1' }
    const packages = [
      { ...binary, name: 'libssl3', purl: 'pkg:deb/debian/libssl3', source },
      { ...binary, name: 'openssl', source },
      { ...binary, name: 'openssl', path: 'other', source },
      { ...binary, name: 'tar' },
    ]
    expect(
      [...subjectsOf(packages)]
        .flatMap(subject => subject ?? [])
        .map(({ name, path, purl, version }) => [name, version, path, purl]),
    ).toEqual([
      ['openssl', '3.0-1', 'status', 'pkg:deb/debian/libssl3'],
      ['openssl', '3.0-1', 'other', ''],
      ['tar', '3.0-1+b1', 'status', ''],
    ])
  })

  it('has one name in all of its spellings', () => {
    expect(packageKey('PyPI', 'Zope._-Interface')).toEqual({ ecosystem: 'PyPI', name: 'zope-interface' })
    expect(packageKey('npm', 'Under_score')).toEqual({ ecosystem: 'npm', name: 'Under_score' })
    expect(packageKey('Ubuntu:22.04:LTS', 'tar')).toEqual(packageKey('Ubuntu:22.04', 'tar'))
    expect(packageKey('Ubuntu:Pro:22.04:LTS', 'tar')).not.toEqual(packageKey('Ubuntu:22.04', 'tar'))
    expect(writtenVersion('Go', 'v1.2.3')).toBe('1.2.3')
    expect(writtenVersion('npm', 'v1.2.3')).toBe('v1.2.3')
  })

  it('of a release of a distribution is also affected where all releases are', () => {
    expect(lookupKeys('Debian:12', 'tar').map(({ ecosystem }) => ecosystem)).toEqual(['Debian:12', 'Debian'])
    expect(lookupKeys('npm', 'tar').map(({ ecosystem }) => ecosystem)).toEqual(['npm'])
  })
})
