/** The functions that undo effects of a running test file, the first effect first. */
const effects: (() => void | Promise<void>)[] = []

/** Registers a function that undoes an effect after the last test of the file. */
export const afterTests = (undo: () => void | Promise<void>): void => void effects.push(undo)

/** Undoes all effects, the last effect first, whether or not a function fails; throws the first error. */
export async function undoEffects(): Promise<void> {
  const errors: unknown[] = []
  for (const undo of effects.splice(0).toReversed()) {
    try {
      await undo()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
