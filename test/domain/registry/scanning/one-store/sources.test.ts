import { describe, expect, it } from 'vitest'
import { readGoBuildInfo } from '../../../../../domain/registry/scanning/sources/go-build-info.ts'
import { readPomProperties } from '../../../../../domain/registry/scanning/sources/maven.ts'
import { readOsRelease } from '../../../../../domain/registry/scanning/sources/os-release.ts'
import { sourceKind, textReaders } from '../../../../../domain/registry/scanning/sources/source-files.ts'
import type { Reading } from '../../../../../domain/registry/scanning/sources/source-package.ts'
import { unreadSource } from '../../../../../domain/registry/scanning/sources/unread-sources.ts'
import { threadCpuMs } from '../../../../cpu-time.ts'

const { apk, dpkg, gem, npm, python } = textReaders

/** Returns `name version (source version)` of each package, and then what could not be read. */
const told = ({ packages, unread }: Reading): readonly string[] => [
  ...packages.map(({ name, source, version }) =>
    source === undefined ? `${name} ${version}` : `${name} ${version} (${source.name} ${source.version})`,
  ),
  ...unread,
]

describe('a file os-release', () => {
  it.each([
    ['ID=debian\nVERSION_ID="12"\n', { id: 'debian', version: '12' }],
    ["NAME='x'\r\nID='ubuntu'\r\nVERSION_ID='24.04'\r\n", { id: 'ubuntu', version: '24.04' }],
    ['  ID=Alpine  \n# ID=no\nVERSION_ID=3.20.3', { id: 'alpine', version: '3.20.3' }],
    ['ID="wolfi"\n', { id: 'wolfi', version: '' }],
    ['ID=debian\nVERSION_ID="$(rm -rf)"\n', { id: 'debian', version: '' }],
    ['ID="a b"\nVERSION_ID=1\n', undefined],
    ['VERSION_ID=12\n', undefined],
    ['', undefined],
    ['\0\xff', undefined],
  ])('of the text %j names %j', (text, os) => {
    expect(readOsRelease(text)).toEqual(os)
  })
})

describe('a database of dpkg', () => {
  it.each<[title: string, text: string, found: readonly string[]]>([
    [
      'with source packages',
      'Package: libssl3\nStatus: install ok installed\nSource: openssl (3.0.11-1)\nVersion: 3.0.11-1+b1\n\nPackage: zlib1g\nStatus: install ok installed\nSource: zlib\nVersion: 1:1.2\n\nPackage: bash\nStatus: install ok installed\nVersion: 5.2\n',
      ['libssl3 3.0.11-1+b1 (openssl 3.0.11-1)', 'zlib1g 1:1.2 (zlib 1:1.2)', 'bash 5.2 (bash 5.2)'],
    ],
    [
      'with packages in all states',
      [
        'not-installed',
        'config-files',
        'half-installed',
        'unpacked',
        'half-configured',
        'triggers-awaited',
        'triggers-pending',
        'installed',
      ]
        .map(state => `Package: ${state}\nStatus: deinstall ok ${state}\nVersion: 1\n`)
        .join('\n'),
      ['unpacked', 'half-configured', 'triggers-awaited', 'triggers-pending', 'installed'].map(
        name => `${name} 1 (${name} 1)`,
      ),
    ],
    ['without states, as in status.d', 'Package: a\nVersion: 1\nDescription: x\n y\n .\n z\n', ['a 1 (a 1)']],
    [
      'with a text in the description that looks like fields',
      'Package: a\nVersion: 1\nDescription: x\n Package: b\n\tVersion: 2\n',
      ['a 1 (a 1)'],
    ],
    ['with a field that is given twice', 'Package: a\nPackage: b\nVersion: 1\nVersion: 2\n', ['a 1 (a 1)']],
    [
      'with lines of Windows',
      'Package: a\r\nVersion: 1\r\n\r\nPackage: b\r\nVersion: 2\r\n',
      ['a 1 (a 1)', 'b 2 (b 2)'],
    ],
    [
      'without a version',
      'Package: a\nStatus: install ok installed\n',
      ['dpkg database with a package whose name or version is malformed'],
    ],
    [
      'with a version that is none',
      'Package: a\nVersion: 1 2\n\nPackage: b\nVersion: 2\n',
      ['b 2 (b 2)', 'dpkg database with a package whose name or version is malformed'],
    ],
    ['without a line', '', []],
    ['of other bytes', '\0\x01\n:\n: x\nx\n\n\n', []],
  ])('%s names its packages', (_, text, found) => {
    expect(told(dpkg(text))).toEqual(found)
  })
})

describe('a database of apk', () => {
  it.each<[title: string, text: string, found: readonly string[]]>([
    [
      'with origins',
      'C:Q1x\nP:libcrypto3\nV:3.3.2-r0\nA:x86_64\no:openssl\nF:lib\n\nP:musl\nV:1.2.5-r1\nA:x86_64\n\n',
      ['libcrypto3 3.3.2-r0 (openssl 3.3.2-r0)', 'musl 1.2.5-r1 (musl 1.2.5-r1)'],
    ],
    ['with what a package provides', 'P:a\nV:1\np:so:libc=1 cmd:x\n', ['a 1 (a 1)']],
    ['without a version', 'P:a\n', ['apk database with a package whose name or version is malformed']],
  ])('%s names its packages', (_, text, found) => {
    expect(told(apk(text))).toEqual(found)
  })
})

describe('the file of a package of a language', () => {
  it.each<[title: string, read: (text: string) => Reading, text: string, found: readonly string[]]>([
    ['npm', npm, '{"name":"@a/b","version":"1.2.3","dependencies":{"c":"1"}}', ['@a/b 1.2.3']],
    ['npm with a mark at its start', npm, '\uFEFF{"name":"a","version":"1"}', ['a 1']],
    ['npm without a version', npm, '{"name":"a"}', []],
    ['npm with a version of another type', npm, '{"name":"a","version":1}', []],
    ['npm that is a list', npm, '[]', []],
    ['npm that is null', npm, 'null', []],
    ['npm that is no JSON', npm, '{"name":', ['package.json that is not JSON']],
    [
      'npm with half a character',
      npm,
      String.raw`{"name":"\ud800","version":"1"}`,
      ['package.json with a package whose name or version is malformed'],
    ],
    [
      'npm with a long name',
      npm,
      `{"name":"${'a'.repeat(600)}","version":"1"}`,
      ['package.json with a package whose name or version is malformed'],
    ],
    ['Python', python, 'Metadata-Version: 2.1\nName: Foo_Bar.baz\nVersion: 1.0\n\nName: no\n', ['foo-bar-baz 1.0']],
    ['Python with a description first', python, 'Name: a\nDescription: x\n Version: 2\nVersion: 1\n', ['a 1']],
    ['Python without a version', python, 'Name: a\n\nVersion: 1\n', []],
    ['Python without a text', python, '', []],
    [
      'Ruby',
      gem,
      '# -*- encoding: utf-8 -*-\n# stub: rake 13.0.6 ruby lib\n\nGem::Specification.new\n',
      ['rake 13.0.6'],
    ],
    [
      'Ruby without the comment',
      gem,
      'Gem::Specification.new do |s|\n  s.name = "nokogiri".freeze\n  s.version = Gem::Version.new("1.16.0")\nend\n',
      ['nokogiri 1.16.0'],
    ],
    ['Ruby in single quotes', gem, "  spec.name    = 'a'\n  spec.version = '2'\n", ['a 2']],
    [
      'Ruby that computes',
      gem,
      's.name = "a"\ns.version = A::VERSION\n',
      ['gemspec that computes its name or its version'],
    ],
    [
      'Ruby that computes in a text',
      gem,
      's.name = "a"\ns.version = "#{x}"\n',
      ['gemspec that computes its name or its version'],
    ],
    [
      'Maven',
      readPomProperties,
      '#Created by Maven\r\nversion=1.2\r\ngroupId=org.a\r\nartifactId = b \r\n',
      ['org.a:b 1.2'],
    ],
    ['Maven without a group', readPomProperties, 'version=1.2\nartifactId=b\n', []],
    [
      'Maven with a property that is not filled in',
      readPomProperties,
      'version=${x y}\ngroupId=a\nartifactId=b\n',
      ['pom.properties with a package whose name or version is malformed'],
    ],
  ])('%s names it', (_, read, text, found) => {
    expect(told(read(text))).toEqual(found)
  })

  it.each<[title: string, read: (text: string) => Reading, text: string]>([
    ['dpkg', dpkg, `Package: a\nSource: ${'('.repeat(500_000)}\nVersion: ${' '.repeat(500_000)}x\n`],
    ['dpkg of empty lines', dpkg, '\n'.repeat(2_000_000)],
    ['Python', python, `Name: ${'-_.'.repeat(300_000)}\nVersion: 1\n`],
    ['gems of empty lines', gem, '\n'.repeat(1_000_000)],
    ['gems of words', gem, `${'w'.repeat(500_000)}\n${'s.name="'.repeat(60_000)}`],
    ['gems of assignments', gem, 's.name = "\n'.repeat(80_000)],
    ['Maven', readPomProperties, `version=${' '.repeat(60_000)}x\n${' '.repeat(5000)}\n`.repeat(15)],
    ['apk', apk, `P:${' '.repeat(1_000_000)}\nV:1`],
  ])('of %s is read in linear time', (_, read, text) => {
    const before = threadCpuMs()
    read(text)
    expect(threadCpuMs() - before).toBeLessThan(5000)
  })
})

/** Returns build info of Go with texts behind the header. */
function buildInfo(version: string, modules: string, flags = 2): Buffer {
  const text = (bytes: Buffer): Buffer => Buffer.concat([varint(bytes.length), bytes])
  const mark = Buffer.alloc(16, 0x30)
  const header = Buffer.concat([Buffer.from('\xff Go buildinf:', 'latin1'), Buffer.from([8, flags]), Buffer.alloc(16)])
  const list = Buffer.concat([mark, Buffer.from(modules), mark])
  return Buffer.concat([header, text(Buffer.from(version)), text(list), Buffer.alloc(100, 7)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

describe('the build info of a program of Go', () => {
  const modules =
    'path\tm/cmd\nmod\tm\tv1.2.3\th1:x=\ndep\tgithub.com/A/b\tv0.1.0\th1:y=\ndep\tc\tv2.0.0+incompatible\n=>\td/v3\tv3.0.1\th1:z=\ndep\te\tv1.0.0\n=>\t./e\t(devel)\nbuild\tGOOS=linux\n'
  it.each<[title: string, bytes: Buffer, found: readonly string[]]>([
    [
      'with replaced modules',
      buildInfo('go1.22.1', modules),
      ['stdlib 1.22.1', 'm 1.2.3', 'github.com/A/b 0.1.0', 'd/v3 3.0.1', 'program of Go with modules of folders'],
    ],
    [
      'with a module of its workspace',
      buildInfo('go1.22.1', 'mod\tm\t(devel)\t\ndep\tn\t(devel)\t\ndep\tc\tv2.0.0\n'),
      ['stdlib 1.22.1', 'c 2.0.0', 'program of Go with modules of folders'],
    ],
    ['of a working copy', buildInfo('go1.21', 'path\tm\nmod\tm\t(devel)\t\n'), ['stdlib 1.21.0']],
    ['of a candidate of Go', buildInfo('go1.21rc2', ''), ['stdlib 1.21.0-rc.2']],
    ['of Go with experiments', buildInfo('go1.24.0 X:boringcrypto', ''), ['stdlib 1.24.0']],
    ['of Go with a vendor', buildInfo('go1.24.0-asan', ''), ['stdlib 1.24.0']],
    ['of a Go in development', buildInfo('devel go1.27-abcdef Mon', ''), ['stdlib 1.27.0']],
    ['of an old Go', buildInfo('go1.17', modules, 0), ['program built by a Go before 1.18']],
    [
      'that is cut off',
      buildInfo('go1.22.1', modules).subarray(0, 100),
      ['program of Go without the list of its modules'],
    ],
    [
      'without a list',
      buildInfo('go1.22.1', modules).subarray(0, 41),
      ['program of Go without the list of its modules'],
    ],
    [
      'with an endless length',
      Buffer.concat([buildInfo('', '').subarray(0, 32), Buffer.alloc(50, 0xff)]),
      ['program of Go without the list of its modules'],
    ],
  ])('%s names its modules', (_, bytes, found) => {
    expect(told(readGoBuildInfo(bytes))).toEqual(found)
  })
})

describe('a path', () => {
  it.each([
    ['etc/os-release', 'os-release'],
    ['usr/lib/os-release', 'os-release'],
    ['x/etc/os-release', undefined],
    ['var/lib/dpkg/status', 'dpkg'],
    ['var/lib/dpkg/status.d/libc6', 'dpkg'],
    ['var/lib/dpkg/status.d/libc6.md5sums', undefined],
    ['var/lib/dpkg/status-old', undefined],
    ['lib/apk/db/installed', 'apk'],
    ['usr/lib/apk/db/installed', 'apk'],
    ['package.json', undefined],
    ['app/package.json', undefined],
    ['node_modules/a/package.json', 'npm'],
    ['app/node_modules/@a/b/package.json', 'npm'],
    ['app/node_modules/.pnpm/a@1/node_modules/a/package.json', 'npm'],
    ['app/node_modules/a/dist/package.json', undefined],
    ['app/node_modules/.bin/package.json', undefined],
    ['app/node_modules/@a/package.json', undefined],
    ['usr/lib/python3/dist-packages/a-1.dist-info/METADATA', 'python'],
    ['usr/lib/python3/dist-packages/a.egg-info/PKG-INFO', 'python'],
    ['usr/lib/python3/dist-packages/a-1.egg-info', 'python'],
    ['usr/share/ruby/specifications/rake-13.0.6.gemspec', 'gem'],
    ['usr/share/ruby/specifications/default/json-2.gemspec', 'gem'],
    ['app/my.gemspec', undefined],
    ['opt/a.jar', 'jar'],
    ['opt/a.WAR', 'jar'],
    ['opt/ajar', undefined],
  ])('%s leads to a file of the kind %s', (path, kind) => {
    expect(sourceKind(path)).toBe(kind)
  })

  it.each([
    ['var/lib/rpm/Packages', 'rpm database (Berkeley DB)'],
    ['var/lib/rpm/Packages.db', 'rpm database (ndb)'],
    ['usr/lib/sysimage/rpm/rpmdb.sqlite', 'rpm database (SQLite)'],
    ['opt/conda/conda-meta/numpy-1.json', 'conda package'],
    ['var/lib/snapd/snaps/core_1.snap', 'snap'],
    ['var/lib/flatpak/app/org.x', 'Flatpak'],
    ['app/.pnp.cjs', 'Yarn packages without node_modules'],
    ['app/vendor/composer/installed.json', 'Composer packages'],
    ['var/lib/dpkg/status', undefined],
    ['app/node_modules/a/package.json', undefined],
  ])('%s shows %s, which is not read', (path, what) => {
    expect(unreadSource(path)).toBe(what)
  })
})
