import type { Schema, View } from '../../model/types.ts'
import type { Emission } from '../emission.ts'
import type { OutputFile } from '../file.ts'
import type { Hoisted } from '../hoisted.ts'
import type { Doc } from '../layout/doc.ts'
import { letters } from '../names.ts'

/** The context of the statements of a check: the model, the output file and the place. */
export interface CheckContext {
  readonly emission: Emission
  readonly file: OutputFile
  readonly view: View
  /**
   * Whether undeclared members are refused if the schema closes an object. Answers are open, because a newer server may
   * add members.
   */
  readonly isClosed: boolean
  readonly hoisted: Hoisted
  /** The lower camel name of the checked place, `organisationContact`. Constants are named after the place. */
  readonly place: string
  /** Arranges that a function for an inline schema is printed later, and returns the name of the function. */
  readonly local: (schema: Schema, context: CheckContext) => string
}

/** Returns the code of a function that checks one value of a schema. */
export type CheckOf = (schema: Schema, context: CheckContext) => Doc

/** The ordinals that name the parts of a place by their index. */
const ordinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'] as const

/** Returns the name of a part by its index, from 0: `First`, and beyond `Eighth` a name such as `FormA`. */
export const ordinal = (i: number): string => ordinals[i] ?? `Form${letters(i)}`
