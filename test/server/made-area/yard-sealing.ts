import { done, failed, type Procedure } from '../../../domain/ports/procedures.ts'
import type { Finding } from '../../../domain/ports/inspection.ts'
import type { Reader, Transaction } from '../../../domain/ports/store.ts'
import { boxes, notes, type Box } from './yard-kinds.ts'

/** The number of strips of tape on a sealed box. */
export const strips = 3

/** The name of a box that cannot be sealed. */
export const rotten = 'rotten'

const stripOf = (box: string, strip: number): string => `strip ${strip}/${box}`

/**
 * The procedure that seals a box in three steps: the first step saves a checkpoint after each strip, and the second
 * step may fail.
 */
export const sealing: Procedure<{ readonly id: string }, number> = {
  kind: 'yard.seal',
  steps: [
    {
      name: 'tape',
      async run({ checkpoint = 0, input, progress, save }) {
        for (let strip = checkpoint; strip < strips; strip += 1) {
          progress((100 * strip) / strips)
          // The store refuses a second note of the same strip, so a repetition of a saved part of the step fails.
          await save(strip + 1, async tx => {
            const box = await tx.lock(boxes, input.id)
            if (box) await tx.insert(notes, { id: stripOf(input.id, strip), workspace_id: box.value.workspace_id })
          })
        }
        return done()
      },
    },
    {
      name: 'weigh',
      async run({ input, tx }) {
        const box = await tx(inner => weigh(inner, input.id))
        if (box?.name !== rotten) return done()
        return failed({ code: 5_001_001, reason: 'BOX_ROTTEN', description: `box ${input.id} is rotten` })
      },
    },
    { name: 'seal', run: async ({ input }) => done(tx => enter(tx, input.id, 'SEALED')) },
  ],
  async failed(tx, { input }) {
    await enter(tx, input.id, 'OPEN')
    for (let strip = 0; strip < strips; strip += 1) {
      const found = await tx.lock(notes, stripOf(input.id, strip))
      if (found) await tx.delete(notes, found.id, found.version)
    }
  },
}

async function weigh(tx: Transaction, id: string): Promise<Box | undefined> {
  const box = await tx.lock(boxes, id)
  if (box) await tx.update(boxes, id, { ...box.value, labels: { ...box.value.labels, weighed: 'yes' } }, box.version)
  return box?.value
}

async function enter(tx: Transaction, id: string, state: string): Promise<void> {
  const box = await tx.lock(boxes, id)
  if (box) await tx.update(boxes, id, { ...box.value, state }, box.version)
}

/**
 * Yields a finding for each strip that a sealed box lacks or an open box has, and for each sealed box that was not
 * weighed.
 */
export async function* inspectBoxes(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(boxes)) {
    if (value.state === 'SEALING') continue
    const isSealed = value.state === 'SEALED'
    for (let strip = 0; strip < strips; strip += 1) {
      if (((await reader.get(notes, stripOf(id, strip))) !== undefined) === isSealed) continue
      yield { resourceType: 'yard.boxes', id, message: `is ${value.state}, which does not fit strip ${strip}` }
    }
    if (isSealed && value.labels['weighed'] !== 'yes')
      yield { resourceType: 'yard.boxes', id, message: 'is sealed and was not weighed' }
  }
}
