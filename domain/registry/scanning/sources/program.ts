import { readGoBuildInfo } from './go-build-info.ts'
import { nothing, type Reading } from './source-package.ts'

/** The packages that a program names as those from which it was built. */
export interface ProgramParts {
  /** The build info of Go, which bytes may follow; undefined in a program of another language. */
  readonly buildInfo: Uint8Array | undefined
  /** Whether the program has a list of crates of Rust, as cargo-auditable writes it. */
  readonly hasCrates: boolean
}

/** Reads the parts of a program: the modules of Go. Lists of crates are named, and not read. */
export function readProgram({ buildInfo, hasCrates }: ProgramParts): Reading {
  const { packages, unread } = buildInfo === undefined ? nothing : readGoBuildInfo(buildInfo)
  return { packages, unread: hasCrates ? [...unread, 'program of Rust with a list of crates'] : unread }
}
