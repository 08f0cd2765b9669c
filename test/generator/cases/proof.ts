import { expect } from 'vitest'
import type { Generation } from '../generation.ts'

/** The proof that a line of an `.expect.md` holds, or the reason that it cannot yet. */
export type Proof =
  | { readonly kind: 'shown'; readonly show: (runs: Runs) => void | Promise<void> }
  /** Statements that no output proves: the behaviour of a server or a client, and tests with the command. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  /** Not built yet; `arrived` is true once it is, and then the entry must go. */
  | { readonly kind: 'later'; readonly why: string; readonly arrived: (runs: Runs) => boolean }
  /** Another of the choices that the line offers was taken. */
  | { readonly kind: 'declined'; readonly why: string }

/** The runs of one case by name; most have one. */
export interface Runs {
  readonly first: Generation
  readonly all: ReadonlyMap<string, Generation>
}

type Part = 'types' | 'validators' | 'handlers' | 'routes' | 'client'

/** The text of one artefact, of all documents of the run. */
export const textOf = ({ first }: Runs, part: Part): string =>
  [...first.files].flatMap(([path, text]) => (path.endsWith(`/${part}.ts`) ? [text] : [])).join('\n')

const shown = (show: (runs: Runs) => void | Promise<void>): Proof => ({ kind: 'shown', show })

/** Each text stands in an artefact as it is. */
export const holds = (part: Part, ...texts: readonly string[]): Proof =>
  shown(runs => {
    for (const text of texts) expect(textOf(runs, part)).toContain(text)
  })

/** No text matches in any file. */
export const nowhere = (...patterns: readonly RegExp[]): Proof =>
  shown(({ first }) => {
    for (const text of first.files.values()) for (const pattern of patterns) expect(text).not.toMatch(pattern)
  })

/** Counts the matches of a pattern in an artefact. */
export const counts = (part: Part, pattern: RegExp, count: number): Proof =>
  shown(runs => expect([...textOf(runs, part).matchAll(pattern)]).toHaveLength(count))

/** Something is said about the document: parts of one line. */
export const says = (...lines: readonly RegExp[]): Proof =>
  shown(({ first }) => {
    for (const line of lines) expect(first.printed).toContainEqual(expect.stringMatching(line))
  })

export const both = (...proofs: readonly Proof[]): Proof =>
  shown(async runs => {
    for (const proof of proofs) if (proof.kind === 'shown') await proof.show(runs)
  })

export const elsewhere = (where: string): Proof => ({ kind: 'elsewhere', where })
export const declined = (why: string): Proof => ({ kind: 'declined', why })

export const later = (why: string, arrived: (runs: Runs) => boolean): Proof => ({ kind: 'later', why, arrived })

/** So many lines are said, and nothing is generated. */
export const refuses = (lines: number): Proof =>
  shown(({ first }) => {
    expect(first.printed).toHaveLength(lines)
    expect(first.files.size).toBe(0)
  })

/** A line that this folder's other tests prove for every case. */
export const judged = elsewhere('cases.test.ts: types, layout and machine-readable lines of every case')
export const served = elsewhere('the tests of runtime and server: what happens to requests')
export const called = elsewhere('the tests of the transport: what a client sends and reads')
