import { expect } from 'vitest'
import type { Generation } from '../generation.ts'

/** The proof that a line of an `.expect.md` holds, or the reason why the output does not prove the line. */
export type Proof =
  | { readonly kind: 'shown'; readonly show: (runs: Runs) => void | Promise<void> }
  /** A statement that the output cannot prove: the behaviour of a server or a client, or a test of the command. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  /**
   * A statement about a feature that is missing. Once the feature exists, `arrived` returns true and the test demands
   * the removal of the entry.
   */
  | { readonly kind: 'later'; readonly why: string; readonly arrived: (runs: Runs) => boolean }
  /** A choice that the generator does not take, because the line allows another choice. */
  | { readonly kind: 'declined'; readonly why: string }

/** The first run of a case, and all its runs, keyed by name; most cases have one run. */
export interface Runs {
  readonly first: Generation
  readonly all: ReadonlyMap<string, Generation>
}

type Part = 'types' | 'validators' | 'handlers' | 'routes' | 'client'

/** Returns the text of one artefact, of all documents of the first run. */
export const textOf = ({ first }: Runs, part: Part): string =>
  [...first.files].flatMap(([path, text]) => (path.endsWith(`/${part}.ts`) ? [text] : [])).join('\n')

const shown = (show: (runs: Runs) => void | Promise<void>): Proof => ({ kind: 'shown', show })

/** Returns the proof that an artefact of the first run contains each of these texts. */
export const holds = (part: Part, ...texts: readonly string[]): Proof =>
  shown(runs => {
    for (const text of texts) expect(textOf(runs, part)).toContain(text)
  })

/** Returns the proof that no file of the first run matches any of these patterns. */
export const nowhere = (...patterns: readonly RegExp[]): Proof =>
  shown(({ first }) => {
    for (const text of first.files.values()) for (const pattern of patterns) expect(text).not.toMatch(pattern)
  })

/** Returns the proof that an artefact of the first run has exactly `count` matches of a pattern. */
export const counts = (part: Part, pattern: RegExp, count: number): Proof =>
  shown(runs => expect([...textOf(runs, part).matchAll(pattern)]).toHaveLength(count))

/** Returns the proof that the generator prints, for each of these patterns, a line that matches. */
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

/** Returns the proof that the generator prints `lines` lines and generates nothing. */
export const refuses = (lines: number): Proof =>
  shown(({ first }) => {
    expect(first.printed).toHaveLength(lines)
    expect(first.files.size).toBe(0)
  })

/** The proof of lines that the other tests of this folder prove for every case. */
export const judged = elsewhere('cases.test.ts: types, layout and machine-readable lines of every case')
export const served = elsewhere('the tests of runtime and server: what happens to requests')
export const called = elsewhere('the tests of the transport: what a client sends and reads')
