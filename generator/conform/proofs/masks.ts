import type { Property } from '../../model/types.ts'
import { type Draft, withParameter } from '../draft.ts'
import { isJsonObject, withMember } from '../json.ts'
import { pairs } from '../pairs.ts'
import type { Probe } from '../probe.ts'
import { maskedOf, type Shape, shapeOf, travels } from '../shape.ts'
import { existingDraft, type Subject } from '../subject.ts'
import { mustBeAccepted, mustBeRefused, mustSucceed } from '../verdict.ts'

/** The updatable members of the target of an update mask, and the functions that set the mask. */
interface Masking {
  readonly properties: readonly Property[]
  readonly given: (draft: Draft, mask: string) => Draft
  /** Sends the mask twice; absent if the mask is no query parameter. */
  readonly twice?: (draft: Draft, mask: string) => Draft
}

/**
 * Proves that the `update_mask` of an update accepts the fields of its target and no other names (conventions §6,
 * AIP-134).
 */
export async function proveMasks(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const masking = maskingOf(subject)
  if (!masking) return
  const names = masking.properties.map(({ name }) => name)
  const [first = ''] = names
  const existing = existingDraft(draft, subject)

  for (const value of ['', '*', ...names, names.join(',')]) {
    const what = `update_mask: ${value}`
    const answer = await probe.send(masking.given(existing ?? draft, value), what)
    if (existing) mustSucceed(answer, what, subject, probe)
    else mustBeAccepted(answer, what, subject, probe)
  }
  for (const value of ['x_not_declared', `${first},*`, `${first},`, `${first}.x_not_declared`]) {
    const what = `update_mask: ${value}`
    const answer = await probe.send(masking.given(draft, value), what)
    mustBeRefused(answer, what, { reason: 'UPDATE_MASK_INVALID', fields: ['update_mask'] }, subject, probe)
  }
  if (!masking.twice) return
  const what = 'update_mask: given twice'
  const answer = await probe.send(masking.twice(draft, first), what)
  mustBeRefused(answer, what, { reason: 'FIELD_INVALID', fields: ['update_mask'] }, subject, probe)
}

function maskingOf({ examples: { schemas }, operation }: Subject): Masking | undefined {
  const { body, parameters } = operation
  const shape = body && shapeOf(body.content.schema, schemas)
  const mask = parameters.find(({ in: place, name }) => place === 'query' && name === 'update_mask')
  if (mask && body?.view === 'update') {
    return {
      properties: updatable(shape),
      given: (draft, value) => withParameter(draft, mask, value),
      twice: (draft, value) => ({ ...draft, pairs: [...pairs(mask, value), ...pairs(mask, value)] }),
    }
  }
  const masked = maskedOf(shape)
  if (!masked) return undefined
  return {
    properties: updatable(shapeOf(masked.schema, schemas)),
    given: (draft, value) =>
      isJsonObject(draft.body) ? { ...draft, body: withMember(draft.body, 'update_mask', value) } : draft,
  }
}

const updatable = (shape: Shape | undefined): readonly Property[] =>
  shape?.kind === 'object' ? shape.properties.filter(each => travels(each, 'update')) : []
