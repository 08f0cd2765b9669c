import { readApk } from './apk.ts'
import { readDpkg } from './dpkg.ts'
import { readGem } from './gem.ts'
import { readNpm } from './npm.ts'
import { readPython } from './python.ts'
import type { Reading } from './source-package.ts'

/** The kinds of files that name packages, or the operating system. */
export type SourceKind = 'apk' | 'dpkg' | 'gem' | 'jar' | 'npm' | 'os-release' | 'python'

/** What a kind of file is: the paths where it counts, and the most bytes that are read of it. */
interface SourceFile {
  readonly kind: SourceKind
  /** Matches paths without a slash at their start. */
  readonly path: RegExp
  readonly maxBytes: number
}

const kib = 1024
const mib = 1024 * kib

/** The files that are read, wherever a layer has them. */
const sourceFiles: readonly SourceFile[] = [
  { kind: 'os-release', path: /^(?:etc|usr\/lib)\/os-release$/, maxBytes: 64 * kib },
  { kind: 'dpkg', path: /^var\/lib\/dpkg\/status(?:\.d\/(?!.*\.md5sums$)[^/]+)?$/, maxBytes: 64 * mib },
  { kind: 'apk', path: /^(?:usr\/)?lib\/apk\/db\/installed$/, maxBytes: 64 * mib },
  { kind: 'npm', path: /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/, maxBytes: mib },
  { kind: 'python', path: /\.(?:dist-info\/METADATA|egg-info\/PKG-INFO|egg-info)$/, maxBytes: 4 * mib },
  { kind: 'gem', path: /(?:^|\/)specifications\/(?:default\/)?[^/]+\.gemspec$/, maxBytes: mib },
  { kind: 'jar', path: /\.(?:ear|jar|war)$/i, maxBytes: 64 * mib },
]

/** The paths of the sources that lie in one place, where links may lead to another one. */
export const fixedPaths: Readonly<Record<string, SourceKind>> = {
  'etc/os-release': 'os-release',
  'usr/lib/os-release': 'os-release',
  'var/lib/dpkg/status': 'dpkg',
  'lib/apk/db/installed': 'apk',
  'usr/lib/apk/db/installed': 'apk',
}

/** Returns the kind of the file at a path; undefined for a file that names no packages. */
export const sourceKind = (path: string): SourceKind | undefined => sourceFiles.find(file => file.path.test(path))?.kind

/** The most bytes that are read of a file of a kind. */
export const longestSource = (kind: SourceKind): number => sourceFiles.find(file => file.kind === kind)?.maxBytes ?? 0

/** The readers of files that are text. */
export const textReaders: Readonly<Record<Exclude<SourceKind, 'jar' | 'os-release'>, (text: string) => Reading>> = {
  apk: readApk,
  dpkg: readDpkg,
  gem: readGem,
  npm: readNpm,
  python: readPython,
}
