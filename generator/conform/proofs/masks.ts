import { type Draft, withParameter } from '../draft.ts'
import { pairs } from '../pairs.ts'
import type { Probe } from '../probe.ts'
import { shapeOf, travels } from '../shape.ts'
import { existingDraft, type Subject } from '../subject.ts'
import { mustBeAccepted, mustBeRefused, mustSucceed } from '../verdict.ts'

/** The `update_mask` of an update takes the fields of its body, and nothing else (conventions §6, AIP-134). */
export async function proveMasks(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { examples, operation } = subject
  const { body, parameters } = operation
  const mask = parameters.find(({ in: place, name }) => place === 'query' && name === 'update_mask')
  if (!mask || body?.view !== 'update') return
  const shape = shapeOf(body.content.schema, examples.schemas)
  const properties = shape.kind === 'object' ? shape.properties.filter(each => travels(each, 'update')) : []
  const names = properties.map(({ name }) => name)
  const [first = ''] = names
  const existing = existingDraft(draft, subject)

  for (const value of ['', '*', ...names, names.join(',')]) {
    const what = `update_mask: ${value}`
    const answer = await probe.send(withParameter(existing ?? draft, mask, value), what)
    if (existing) mustSucceed(answer, what, subject, probe)
    else mustBeAccepted(answer, what, subject, probe)
  }
  for (const value of ['x_not_declared', `${first},*`, `${first},`, `${first}.x_not_declared`]) {
    const what = `update_mask: ${value}`
    const answer = await probe.send(withParameter(draft, mask, value), what)
    mustBeRefused(answer, what, { reason: 'UPDATE_MASK_INVALID', fields: ['update_mask'] }, subject, probe)
  }
  const twice = { ...draft, pairs: [...pairs(mask, first), ...pairs(mask, first)] }
  const answer = await probe.send(twice, 'update_mask: given twice')
  mustBeRefused(
    answer,
    'update_mask: given twice',
    { reason: 'FIELD_INVALID', fields: ['update_mask'] },
    subject,
    probe,
  )
}
